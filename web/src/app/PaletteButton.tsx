import { Box, Button, Group, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { showUnloaded } from '../console/notices.tsx';
import { t } from '../texts/app.ts';
import { withTexts } from '../texts/texts.ts';

const script = () => withTexts(import('./CommandPalette.tsx'));
const CommandPalette = lazy(script);

/** Opens the command palette, whose scripts come once somebody is about to use it. */
export function PaletteButton({ slug }: { readonly slug: string }) {
  const [isLoaded, setLoaded] = useState(false);
  const [uses, setUses] = useState(0);
  const prepare = async () => {
    await script();
    setLoaded(true);
  };
  const open = () =>
    void prepare().then(
      () => setUses((count) => count + 1),
      // The next time it is tried again.
      () => showUnloaded(t('search')),
    );
  const foresee = () => void prepare().catch(() => undefined);
  // Also while somebody types.
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-keyshortcuts="Control+K"
        onClick={open}
        onPointerEnter={foresee}
        onFocus={foresee}
      >
        <Lens />
        <Group visibleFrom="sm" gap={6} wrap="nowrap">
          {t('search')}
          <Kbd size="xs">Ctrl K</Kbd>
        </Group>
      </Button>
      {isLoaded && (
        <Suspense>
          <CommandPalette slug={slug} uses={uses} />
        </Suspense>
      )}
    </>
  );
}

/** What the button shows on phones: beside other words its own have no room. */
const Lens = () => (
  <Box component="span" hiddenFrom="sm" lh={0}>
    <svg
      role="img"
      aria-label={t('search')}
      viewBox="0 0 16 16"
      width={16}
      height={16}
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
    >
      <circle cx="7" cy="7" r="4.5" />
      <path d="M10.5 10.5 14 14" />
    </svg>
  </Box>
);
