import { Anchor, type CSSVariablesResolver, createTheme } from '@mantine/core';

/** How the pages look: the fonts of whoever looks, and colours that are told apart in the light and in the dark. */
export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  // A link in a sentence is not told by its colour alone.
  components: { Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }) },
});

/** Buttons that are pointed at; Mantine's own grow paler than their words can be read on. */
const pointedAt = { '--mantine-color-cyan-filled-hover': '#095c6b', '--mantine-color-red-filled-hover': '#a51f1f' };

/** Words of less weight, and of warning, as readable as the others. */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...pointedAt,
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    ...pointedAt,
    '--mantine-color-dimmed': 'var(--mantine-color-gray-5)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
