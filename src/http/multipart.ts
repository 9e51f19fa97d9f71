// Forms with a file, as browsers send them.
import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { badRequest, ServiceError, validationError } from '../errors.ts';
import { messages } from '../input/index.ts';

/** A file in a form, which is read as it comes. */
export interface FormFile {
  /** Its name, as the form has it; it may be empty. */
  readonly name: string;
  /** Its bytes, and then the rest of the form. */
  readonly content: AsyncIterable<Buffer>;
}

/** Whether a request is a form with files. */
export const isForm = (headers: IncomingHttpHeaders): boolean =>
  /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');

/** The bounds of a form besides its file. */
const limits = { files: 1, fields: 10, fieldSize: 10_000, parts: 11, headerPairs: 20, headerSize: 8000 } as const;

/**
 * Reads a form up to its file.
 *
 * @param field the name of the field that has the file
 * @throws ServiceError BAD_REQUEST for a form that cannot be read, VALIDATION_ERROR for one without a file
 */
export async function readForm(body: Readable, headers: IncomingHttpHeaders, field: string): Promise<FormFile> {
  const parser = openParser(headers);
  const ended = new Promise<void>((resolve, reject) => {
    parser.once('finish', resolve);
    parser.on('error', () => reject(broken()));
    parser.once('filesLimit', () => reject(validationError({ [field]: 'must be one file' })));
    parser.once('partsLimit', () => reject(badRequest('The form has too many fields.')));
    // A client that goes away ends no form.
    body.once('error', reject);
    body.once('close', () => {
      if (!body.readableEnded) reject(new ServiceError('BAD_REQUEST', 'The form ended early.'));
    });
  });
  ended.catch(() => {});
  const file = new Promise<[BusboyFileStream, string] | undefined>((resolve, reject) => {
    parser.on('file', (name, stream, fileName) => {
      if (name === field) resolve([stream, fileName ?? '']);
      else {
        stream.resume();
        reject(validationError({ [name.slice(0, 100)]: `is not a field of this form; the file is ${field}` }));
      }
    });
    ended.then(() => resolve(undefined), reject);
  });
  body.pipe(parser);
  const found = await file;
  if (!found) throw validationError({ [field]: messages.required });
  const [stream, name] = found;
  // Busboy's own stream cannot be iterated.
  const content = stream.pipe(new PassThrough());
  // Whoever reads it learns of the error, also where nobody does yet.
  content.on('error', () => {});
  stream.on('error', () => content.destroy(broken()));
  ended.catch((error: Error) => content.destroy(error));
  return { name, content: wholeOf(content, ended) };
}

const broken = () => badRequest('The form cannot be read: it ends early, or its parts are broken.');

function openParser(headers: IncomingHttpHeaders): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers: { 'content-type': '', ...headers }, limits });
  } catch {
    throw badRequest('Content-Type: has no valid boundary');
  }
}

/** The bytes of a file, if the form is whole. */
async function* wholeOf(stream: Readable, ended: Promise<void>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield chunk as Buffer;
  await ended;
}
