import { Box, Button, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { LoadingSkeleton } from '../../components/LoadingSkeleton.tsx';
import { hasCamera } from './camera.ts';

const CameraScanner = lazy(() => import('./CameraScanner.tsx'));

/** On phones and tablets, a way to scan without a scanner. */
export function Camera({ onScan }: { readonly onScan: (code: string) => void }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Box hiddenFrom="md" mt="xs">
      {!hasCamera() ? (
        <Text size="sm" c="dimmed">
          To scan with the camera of this device, open this page with https: browsers give cameras to no other pages.
        </Text>
      ) : isOpen ? (
        <Suspense fallback={<LoadingSkeleton />}>
          <CameraScanner onScan={onScan} onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : (
        <Button variant="default" onClick={() => setIsOpen(true)}>
          Scan with camera
        </Button>
      )}
    </Box>
  );
}
