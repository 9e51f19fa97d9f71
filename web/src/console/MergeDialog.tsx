import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../texts/console.ts';
import { type Definition, type Field, fieldOf, useCollections } from './definitions.ts';
import type { Conflict } from './merge.ts';
import { titleQuery } from './rows.ts';
import { Value } from './values.tsx';

interface Props {
  readonly definition: Definition;
  /** The fields that both have changed; none while there is nothing to decide. */
  readonly conflicts: readonly Conflict[];
  /** Writes what the person has chosen. @param mine the values of theirs that they keep */
  readonly onMerge: (mine: Readonly<Record<string, unknown>>) => void;
  readonly onClose: () => void;
}

/** Shows fields that somebody else has changed meanwhile too, for the person to choose. */
export function MergeDialog({ definition, conflicts, onMerge, onClose }: Props) {
  return (
    <Modal
      opened={conflicts.length > 0}
      onClose={onClose}
      title={t('somebodyElseChangedThisToo')}
      size="lg"
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {conflicts.length > 0 && (
        <Choices definition={definition} conflicts={conflicts} onMerge={onMerge} onClose={onClose} />
      )}
    </Modal>
  );
}

function Choices({ definition, conflicts, onMerge, onClose }: Props) {
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const choose = (name: string, choice: string) => {
    const next = new Set(theirs);
    if (choice === 'theirs') next.add(name);
    else next.delete(name);
    setTheirs(next);
  };
  const kept = conflicts.filter(({ name }) => !theirs.has(name)).map(({ name, mine }) => [name, mine] as const);
  return (
    <Stack>
      <Text size="sm">{t('theOtherFieldsAreMergedChoose')}</Text>
      {conflicts.map(({ name, mine, theirs: other }) => {
        const field = fieldOf(definition, name);
        return (
          <Radio.Group
            key={name}
            label={field?.label ?? name}
            value={theirs.has(name) ? 'theirs' : 'mine'}
            onChange={(choice) => choose(name, choice)}
          >
            <Stack gap={6} mt={4}>
              <Radio value="mine" label={<Choice whose={t('mine')} field={field} value={mine} />} />
              <Radio value="theirs" label={<Choice whose={t('theirs')} field={field} value={other} />} />
            </Stack>
          </Radio.Group>
        );
      })}
      <Group>
        <Button onClick={() => onMerge(Object.fromEntries(kept))}>{t('save')}</Button>
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
      </Group>
    </Stack>
  );
}

interface ChoiceProps {
  readonly whose: string;
  readonly field: Field | undefined;
  readonly value: unknown;
}

function Choice({ whose, field, value }: ChoiceProps) {
  const target = useCollections().get(field?.references ?? '');
  const isReference = target !== undefined && typeof value === 'string';
  return (
    <>
      {whose}:{' '}
      {isReference ? (
        <Title type={target.type} id={value} />
      ) : (
        field && <Value field={{ ...field, relation: null }} row={{ id: '', [field.name]: value }} />
      )}
    </>
  );
}

function Title({ type, id }: { readonly type: string; readonly id: string }) {
  const { data } = useQuery(titleQuery(useCollections().get(type), id));
  return data ?? '…';
}
