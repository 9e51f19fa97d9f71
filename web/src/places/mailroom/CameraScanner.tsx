import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { t } from '../../texts/places-mailroom.ts';
import { scanWithCamera } from './camera.ts';

interface Props {
  readonly onScan: (code: string) => void;
  readonly onClose: () => void;
}

/** The picture of the camera, whose codes are scanned while it is open. */
export default function CameraScanner({ onScan, onClose }: Props) {
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState('');
  const [count, setCount] = useState(0);
  const scan = useRef(onScan);
  useEffect(() => {
    scan.current = onScan;
  }, [onScan]);
  useEffect(() => {
    const ending = new AbortController();
    if (video.current)
      scanWithCamera(
        video.current,
        (code) => {
          // Felt without looking at the screen, where phones can do so.
          navigator.vibrate?.(60);
          setCount((before) => before + 1);
          scan.current(code);
        },
        ending.signal,
      ).catch((error: Error) => setProblem(error.message));
    return () => ending.abort();
  }, []);
  return (
    <Stack gap="xs" my="sm">
      {problem ? (
        <ErrorAlert title={t('couldntUseTheCamera')}>{problem}</ErrorAlert>
      ) : (
        <>
          <video ref={video} className="camera" muted playsInline aria-label={t('camera')} />
          <Text size="sm">{count === 0 ? t('holdABarcodeInFrontOf') : t('scannedCountHoldTheNextOne', { count })}</Text>
        </>
      )}
      <div>
        <Button variant="default" onClick={onClose}>
          {t('closeTheCamera')}
        </Button>
      </div>
    </Stack>
  );
}
