import { defineFile } from '../../resource/index.ts';
import { nameParameter, ofFiles } from './files.ts';
import { uploadsPath } from './links.ts';
import { Uploads } from './uploads.ts';

const path = `${uploadsPath}/:id`;

/** What the routes of uploads have in common: those of the tus protocol. */
const ofUploads = {
  ...ofFiles,
  words: { one: 'an upload' },
  does: 'resume',
  mediaTypes: [],
  open: (...given: ConstructorParameters<typeof Uploads>) => new Uploads(...given),
} as const;

const partMediaTypes = ['application/offset+octet-stream'];

/** The routes that send a file in parts. */
export const uploadOperations = [
  defineFile({
    ...ofUploads,
    method: 'POST',
    field: 'createUpload',
    path: uploadsPath,
    description:
      'Begin to send a file in parts, by tus 1.0. Its id will be that of the file. The first part may be the body.',
    parameters: [nameParameter],
    link: 'send',
  }),
  defineFile({
    ...ofUploads,
    method: 'HEAD',
    field: 'uploadProgress',
    path,
    description: 'Get how much of a file has arrived. A request that still sends a part is ended.',
    link: 'resume',
  }),
  defineFile({
    ...ofUploads,
    method: 'PATCH',
    field: 'appendToUpload',
    path,
    description: 'Send the next part of a file. After the last one there is the file.',
    mediaTypes: partMediaTypes,
    link: 'resume',
  }),
  defineFile({
    ...ofUploads,
    method: 'DELETE',
    field: 'endUpload',
    path,
    description: 'Give up sending a file, and delete what has arrived.',
    link: 'resume',
  }),
];
