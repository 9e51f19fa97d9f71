import { createTheme } from '@mantine/core';

/** How the pages look: the fonts of whoever looks, and colours that are told apart in the light and in the dark. */
export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: { light: 9, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
});
