import { type Entry, fromBuffer } from 'yauzl';

/** The texts in a ZIP archive, by the name of their file. */
export const unzip = (archive: Buffer): Promise<Record<string, string>> =>
  new Promise((resolve, reject) => {
    const files: Record<string, string> = {};
    fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on('entry', (entry: Entry) => {
        zip.openReadStream(entry, (failure, stream) => {
          if (failure) return reject(failure);
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            files[entry.fileName] = Buffer.concat(chunks).toString();
            zip.readEntry();
          });
        });
      });
      zip.on('end', () => resolve(files));
      zip.readEntry();
    });
  });
