import { conflict, notFound, validationError } from '../../errors.ts';
import { isShownApart, isShownInline, originalOf } from '../../files/index.ts';
import { defineFile, defineOperation, uuidArgument } from '../../resource/index.ts';
import { createUploadLink, useOnce } from './links.ts';
import { addFile, assertMaySend, filesOf, findContent, findFile, storedContent } from './stored-files.ts';
import { CreateFileUploadInput, FileType, FileUpload } from './types.ts';

/** What the operations on files have in common. */
export const ofFiles = {
  type: 'File',
  words: { one: 'a file' },
  access: 'caller',
  tag: { name: 'Files', description: 'Files that rows hold, such as photos of requests.' },
} as const;

/** The parameter with the name of a file that is the body. */
export const nameParameter = {
  name: 'name',
  description: 'Name of the file, where it is the body. In a form the file has its own.',
  maxLength: 255,
} as const;

/** How a file is sent. */
export const fileMediaTypes = ['multipart/form-data', 'application/octet-stream'];

/** Reads a file's row. */
const getFile = defineOperation({
  ...ofFiles,
  action: 'read',
  rest: true,
  field: 'file',
  path: '/files/:id',
  description: 'Get what is known of a file. Its content is at `contentUrl`.',
  returns: FileType,
  args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the file.' }) }),
  run: (args, context) => findFile(uuidArgument(args, 'id'), context),
});

/** Receives a file. */
const sendFile = defineFile({
  ...ofFiles,
  does: 'add',
  limit: 'file',
  answer: 'file',
  field: 'sendFile',
  path: '/files',
  description:
    'Send a file: as the body, or in a form as `file`. Rows that are written then can hold it; until one does, it is yours alone and is deleted after a day. Any `:write` scope suffices.',
  parameters: [nameParameter],
  mediaTypes: fileMediaTypes,
  link: 'send',
  async run({ body, maxBytes, name, query }, context) {
    assertMaySend(context);
    const { link, name: named = '' } = query;
    if (link === undefined) return addFile({ body, maxBytes, name: fileName(name || named) }, context);
    return useOnce(link, named, context, () => addFile({ body, maxBytes, name: fileName(named) }, context));
  },
});

/** Makes a link that a file is sent by. */
const createFileUpload = defineOperation({
  ...ofFiles,
  action: 'create',
  rest: false,
  field: 'createFileUpload',
  path: '/files',
  description: 'Make a link that sends a file as `POST /files` does.',
  returns: FileUpload,
  args: (arg, kit) => ({
    input: arg({ type: CreateFileUploadInput(kit), required: true, description: 'The new link.' }),
  }),
  async run({ input: { name } }, context) {
    assertMaySend(context);
    return createUploadLink(fileName(name), context);
  },
});

/** The name of a file, as it is stored. @throws ServiceError VALIDATION_ERROR */
export function fileName(given: string | undefined): string {
  // Control characters would break the lines of headers and logs.
  const name = (given ?? '').replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  if (name.length > nameParameter.maxLength)
    throw validationError({ name: `must have at most ${nameParameter.maxLength} characters` });
  return name === '' ? 'file' : name;
}

/** Sends a file's content. */
const fileContent = defineFile({
  ...ofFiles,
  does: 'send',
  hasParts: true,
  field: 'fileContent',
  path: '/files/:id/content',
  description: 'Get the content of a file, or a part of it with `Range`.',
  mediaTypes: ['application/octet-stream'],
  link: 'read',
  async run({ path }, context) {
    const { store, redirects } = filesOf(context);
    const { id, companyId, name, mediaType, size, sha256 } = await findContent(path['id'] ?? '', context);
    return {
      type: mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
      name,
      isInline: isShownApart(mediaType) ? 'apart' : isShownInline(mediaType),
      content: storedContent(store, originalOf({ companyId, id }), { size: Number(size), etag: sha256, redirects }),
    };
  },
});

/** Deletes a file that nothing holds. */
const deleteFile = defineFile({
  ...ofFiles,
  does: 'remove',
  field: 'deleteFile',
  path: '/files/:id',
  description: 'Delete a file that you have sent and that no row holds. Any `:write` scope suffices.',
  mediaTypes: [],
  async run({ path }, context) {
    assertMaySend(context);
    const { id, userId, unheldSince } = await findFile(path['id'] ?? '', context);
    if (userId !== context.caller.userId) throw notFound('file');
    if (unheldSince === null)
      throw conflict('A row holds the file. Remove it from the row, and it is deleted after a day.');
    const { count } = await context.db.file.deleteMany({ where: { id, unheldSince: { not: null } } });
    if (count === 0) throw conflict('A row holds the file.');
  },
});

/** The operations on files. */
export const fileOperations = [getFile, sendFile, createFileUpload, fileContent, deleteFile];
