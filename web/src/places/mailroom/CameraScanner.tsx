import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
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
        <ErrorAlert title="Couldn't use the camera">{problem}</ErrorAlert>
      ) : (
        <>
          <video ref={video} className="camera" muted playsInline aria-label="Camera" />
          <Text size="sm">
            {count === 0 ? 'Hold a barcode in front of the camera.' : `Scanned ${count}. Hold the next one there.`}
          </Text>
        </>
      )}
      <div>
        <Button variant="default" onClick={onClose}>
          Close the camera
        </Button>
      </div>
    </Stack>
  );
}
