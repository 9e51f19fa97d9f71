import { Button, Group, TextInput } from '@mantine/core';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { t } from '../../texts/places-mailroom.ts';

interface Props {
  /** Takes a number once it is complete. */
  readonly onScan: (code: string) => void;
}

/** What takes keys itself: other fields, and dialogs. */
const taking = 'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="dialog"]';

/**
 * Moves the focus to the field before a key is written, unless something else takes it: a scanner is a keyboard, and
 * nobody clicks before each parcel. Space is left to buttons.
 */
function useScannerKeys(field: RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    const onKey = ({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent) => {
      const isText = key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey && !isComposing;
      const isTaken = document.activeElement?.closest(taking) ?? document.querySelector('[role="dialog"]');
      if (!isText || isTaken) return;
      field.current?.focus({ preventScroll: true });
      field.current?.select();
    };
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, [field]);
}

/** The field that a scanner writes into, wherever the focus is. */
export function ScanField({ onScan }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  useScannerKeys(field);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const scanned = code.trim();
        if (scanned === '') return;
        // The next parcel can come before the answer does.
        setCode('');
        onScan(scanned);
      }}
    >
      <Group align="end" gap="xs">
        <TextInput
          ref={field}
          label={t('trackingNumberOrBarcode')}
          description={t('scanAParcelNoNeedTo')}
          name="code"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={255}
          style={{ flex: '1 1 14rem' }}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
        {/* Never disabled: browsers would drop the Enter of the next scan. */}
        <Button type="submit">{t('receive')}</Button>
      </Group>
    </form>
  );
}
