// Scanning with the camera of a phone: pictures go to a worker, which reads the codes in them.

import { barcodeWorker } from '../../../../src/pages/addresses.ts';
import { t } from '../../texts/places-mailroom.ts';

/** What the worker has found in a picture. */
export interface CodesOfPicture {
  readonly codes: readonly string[];
  /** Why it could not be read. */
  readonly problem?: string;
}

/** How long (ms) to wait before the next picture: a hand holds still no faster, and the battery lasts longer. */
const pauseMs = 120;
/** For how long (ms) a code must have been out of sight to be scanned again. */
const againMs = 3000;

/** Whether the browser lets this page use a camera: on https alone, and on the machine itself. */
export const hasCamera = (): boolean => window.isSecureContext && 'mediaDevices' in navigator;

/** Tells which codes of pictures, one after the other, are scans. */
export class CodeFilter {
  private previous: ReadonlySet<string> = new Set();
  private readonly scanned = new Map<string, number>();

  /**
   * @param codes of the next picture
   * @param now a time (ms)
   * @returns those that are scanned now: seen twice in a row, as one picture may be read wrongly, and not just before
   */
  take(codes: readonly string[], now: number): string[] {
    const seen = new Set(codes.map((code) => code.trim()).filter((code) => code !== ''));
    const known = [...seen].filter((code) => this.previous.has(code));
    this.previous = seen;
    return known.filter((code) => {
      const last = this.scanned.get(code);
      this.scanned.set(code, now);
      return last === undefined || now - last > againMs;
    });
  }
}

/** What people can do about a camera that does not open, by the name of the error. */
const reasons = (): Readonly<Record<string, string>> => ({
  NotAllowedError: t('theCameraIsBlockedAllowIt'),
  NotFoundError: t('thisDeviceHasNoCamera'),
  OverconstrainedError: t('thisDeviceHasNoCamera'),
  NotReadableError: t('anotherAppUsesTheCameraClose'),
});

/** @throws Error that says to people why the camera does not open */
async function openCamera(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({
      video: { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 720 } },
    });
  } catch (error) {
    const reason = error instanceof DOMException ? reasons()[error.name] : undefined;
    throw new Error(reason ?? (error instanceof Error ? error.message : String(error)), { cause: error });
  }
}

/** Has a worker read one picture. */
function readPicture(worker: Worker, picture: ImageBitmap): Promise<CodesOfPicture> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<CodesOfPicture>) => resolve(data);
    worker.onerror = () => reject(new Error(t('theReaderCouldNotBeLoaded')));
    worker.postMessage(picture, [picture]);
  });
}

/**
 * Shows the camera and scans until it is told to end.
 *
 * @param onScan takes each code once while it is in sight
 * @throws Error that says to people why it does not go on
 */
export async function scanWithCamera(
  video: HTMLVideoElement,
  onScan: (code: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const stream = await openCamera();
  const worker = new Worker(barcodeWorker, { type: 'module' });
  const filter = new CodeFilter();
  try {
    if (signal.aborted) return;
    video.srcObject = stream;
    // It is rejected where the element is gone before it plays.
    await video.play().catch(() => undefined);
    while (!signal.aborted) {
      if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) {
        const { codes, problem } = await readPicture(worker, await createImageBitmap(video));
        if (problem !== undefined) throw new Error(problem);
        if (signal.aborted) return;
        for (const code of filter.take(codes, performance.now())) onScan(code);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } finally {
    worker.terminate();
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  }
}
