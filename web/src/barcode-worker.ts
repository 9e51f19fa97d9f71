// Reads barcodes in pictures of a camera. It is a worker of its own, as its response alone allows WebAssembly: the
// pages that start it do not.
import { BarcodeDetector, prepareZXingModule } from 'barcode-detector/ponyfill';
import wasmAddress from 'zxing-wasm/reader/zxing_reader.wasm?url';
import type { CodesOfPicture } from './places/mailroom/camera.ts';

// The library would load it from another host.
prepareZXingModule({ overrides: { locateFile: () => wasmAddress } });

/** What is on parcels. Others are left out: some of them are found where there are only stripes. */
const detector = new BarcodeDetector({
  formats: [
    ...(['code_128', 'code_39', 'itf', 'ean_13', 'ean_8', 'upc_a', 'upc_e'] as const),
    ...(['qr_code', 'data_matrix', 'pdf417', 'aztec'] as const),
  ],
});

async function read(picture: ImageBitmap): Promise<CodesOfPicture> {
  try {
    const found = await detector.detect(picture);
    return { codes: found.map(({ rawValue }) => rawValue) };
  } catch (error) {
    return { codes: [], problem: error instanceof Error ? error.message : String(error) };
  } finally {
    picture.close();
  }
}

self.addEventListener('message', ({ data }: MessageEvent<ImageBitmap>) => {
  void read(data).then((answer) => self.postMessage(answer));
});
