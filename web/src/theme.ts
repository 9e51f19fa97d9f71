import { Anchor, type CSSVariablesResolver, createTheme } from '@mantine/core';

/** The look of the pages: system fonts, and colors with enough contrast in both color schemes. */
export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  components: {
    // Links in text must not be marked by color alone.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    // A page has one banner: that of a dialog is none.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    // Its colors change at once with the color scheme, and leave no contrast on the way.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
  },
});

/** Mantine's own hover colors leave too little contrast with the text of a button. */
const hoverColors = { '--mantine-color-cyan-filled-hover': '#095c6b', '--mantine-color-red-filled-hover': '#a51f1f' };

/** Raises the contrast of Mantine's dimmed and error text to WCAG AA. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...hoverColors,
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    ...hoverColors,
    '--mantine-color-dimmed': 'var(--mantine-color-gray-5)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
