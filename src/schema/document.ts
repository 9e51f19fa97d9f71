import type { Context } from '../context.ts';
import type { Document as DocumentRow } from '../database/generated/client/client.ts';
import type { FieldErrors } from '../errors.ts';
import { defineResource } from '../resource/index.ts';
import { documentFields, documentHooks, fileAfter } from './files/document-file.ts';
import { fileText } from './files/file-text.ts';

interface Write {
  readonly context: Context;
  readonly data: Partial<DocumentRow>;
  readonly previous?: DocumentRow | null;
}

/** Documents. The service reads their files, and says by their status how far it is. */
export const Document = defineResource('Document', {
  words: { title: 'title' },
  scope: 'documents',
  fields: {
    title: {},
    description: {},
    category: {},
    fileName: {},
    fileType: {},
    ...documentFields,
    processingStatus: {},
    processingError: { readOnly: true },
  },
  list: { search: ['title', 'description', 'fileName'], content: fileText },
  rest: { path: '/documents', parameters: { status: 'processingStatus' } },
  hooks: {
    validate: (write) => ({ ...validateStatus(write), ...documentHooks.validate(write) }),
    resolveInput: {
      create: (write) => ({ ...documentHooks.resolveInput.create(write), ...statusAfter(write) }),
      update: (write) => ({ ...documentHooks.resolveInput.update(write), ...statusAfter(write) }),
    },
  },
});

/** Rejects a status of a file here other than the one that lets the service read it, again. */
function validateStatus(write: Write): FieldErrors {
  const { data, previous } = write;
  const { processingStatus: given } = data;
  const isAccepted = given === undefined || given === 'PENDING' || given === previous?.processingStatus;
  if (isAccepted || fileAfter(write) === null) return {};
  return { processingStatus: 'must be pending or left out, as the service sets it where the file was sent to it' };
}

/** The status that a document gets by a write: with another file, or to be read again, it waits. */
function statusAfter(write: Write): Pick<Partial<DocumentRow>, 'processingStatus' | 'processingError'> {
  const { data, previous } = write;
  const fileId = fileAfter(write);
  const isOther = fileId !== (previous?.fileId ?? null);
  const given = fileId === null ? data.processingStatus : undefined;
  if (isOther) return { processingStatus: given ?? 'PENDING', processingError: null };
  const { processingStatus } = data;
  return processingStatus === undefined || processingStatus === previous?.processingStatus
    ? {}
    : { processingError: null };
}
