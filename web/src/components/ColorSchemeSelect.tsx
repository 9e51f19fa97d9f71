import { NativeSelect, useMantineColorScheme } from '@mantine/core';

const schemes = [
  { value: 'auto', label: 'Auto' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Selects light, dark or the system's color scheme; Mantine remembers it in this browser. */
export function ColorSchemeSelect() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <NativeSelect
      aria-label="Color scheme"
      size="xs"
      w={84}
      flex="none"
      data={schemes}
      value={colorScheme}
      // The options are color schemes.
      onChange={({ currentTarget }) => setColorScheme(currentTarget.value as typeof colorScheme)}
    />
  );
}
