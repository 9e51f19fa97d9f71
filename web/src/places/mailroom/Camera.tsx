import { Box, Button, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { LoadingSkeleton } from '../../components/LoadingSkeleton.tsx';
import { t } from '../../texts/places-mailroom.ts';
import { withTexts } from '../../texts/texts.ts';
import { hasCamera } from './camera.ts';

const CameraScanner = lazy(() => withTexts(import('./CameraScanner.tsx')));

/** On phones and tablets, a way to scan without a scanner. */
export function Camera({ onScan }: { readonly onScan: (code: string) => void }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Box hiddenFrom="md" mt="xs">
      {!hasCamera() ? (
        <Text size="sm" c="dimmed">
          {t('toScanWithTheCameraOf')}
        </Text>
      ) : isOpen ? (
        <Suspense fallback={<LoadingSkeleton />}>
          <CameraScanner onScan={onScan} onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : (
        <Button variant="default" onClick={() => setIsOpen(true)}>
          {t('scanWithCamera')}
        </Button>
      )}
    </Box>
  );
}
