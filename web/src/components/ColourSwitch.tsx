import { NativeSelect, useMantineColorScheme } from '@mantine/core';

const schemes = [
  { value: 'auto', label: 'Auto' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Light, dark, or whatever the system prefers; the browser remembers it. */
export function ColourSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <NativeSelect
      aria-label="Colours"
      size="xs"
      w={84}
      flex="none"
      data={schemes}
      value={colorScheme}
      onChange={({ currentTarget }) => setColorScheme(currentTarget.value as typeof colorScheme)}
    />
  );
}
