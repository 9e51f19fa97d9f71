import { NativeSelect, useMantineColorScheme } from '@mantine/core';
import { t } from '../texts/components.ts';

const schemes = () => [
  { value: 'auto', label: t('auto') },
  { value: 'light', label: t('light') },
  { value: 'dark', label: t('dark') },
];

/** Selects light, dark or the system's color scheme; Mantine remembers it in this browser. */
export function ColorSchemeSelect() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <NativeSelect
      aria-label={t('colorScheme')}
      size="xs"
      w={84}
      flex="none"
      data={schemes()}
      value={colorScheme}
      // The options are color schemes.
      onChange={({ currentTarget }) => setColorScheme(currentTarget.value as typeof colorScheme)}
    />
  );
}
