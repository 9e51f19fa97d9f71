import type { Context } from '../../context.ts';
import type { File } from '../../database/generated/client/client.ts';
import { defineType, wordsOf } from '../../resource/index.ts';
import { contentPath } from './addresses.ts';
import { readLink, type UploadLink } from './links.ts';

const PreviewStatus = defineType(({ builder }) =>
  builder.enumType('PreviewStatus', {
    description: 'Whether a file has previews.',
    values: {
      PENDING: { description: 'They are being made.' },
      READY: { description: 'It has them.' },
      FAILED: { description: 'There will be none.' },
    },
  }),
);

/** A file that was sent to the service. */
export const FileType = defineType((kit) =>
  kit.builder.objectRef<File>('File').implement({
    description:
      'A file that was sent to the service. Whoever may read a row that holds it may read it; until one does, only its sender, for a day.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID, a UUID.' }),
      name: t.exposeString('name', { description: 'Name of the file, as its sender gave it.' }),
      mediaType: t.exposeString('mediaType', { description: 'Media type, by its content.' }),
      size: t.float({ description: 'Size in bytes.', resolve: ({ size }) => Number(size) }),
      sha256: t.exposeString('sha256', { description: 'SHA-256 of its bytes, in hexadecimal.' }),
      userId: t.exposeID('userId', { nullable: true, description: 'The user who sent it. Null for a guest.' }),
      contentUrl: t.string({
        description: 'Address of its content.',
        resolve: ({ id }, _args, context: Context) => contentPath(id, context),
      }),
      url: t.string({
        nullable: true,
        description: 'Link to its content, for 10 minutes. Null in subscriptions.',
        // There, requests have a token, and ETags would change with it.
        extensions: { rest: false },
        resolve: ({ id }, _args, context: Context) => readLink(id, context),
      }),
      previewStatus: t.field({
        type: PreviewStatus(kit),
        nullable: true,
        description: 'Null for kinds of files without previews.',
        resolve: ({ previewStatus }) => previewStatus,
      }),
      // A type of its own would take the schema over its size.
      scanStatus: t.string({
        nullable: true,
        description: '`pending`, `clean`, `infected` or `failed`, if scanned for malware.',
        resolve: ({ scanStatus }) => scanStatus?.toLowerCase() ?? null,
      }),
      createdAt: t.field({ type: 'DateTime', description: 'Time of creation.', resolve: ({ createdAt }) => createdAt }),
    }),
  }),
);

/** A link that a file is sent by. */
export const FileUpload = defineType(({ builder }) =>
  builder.objectRef<UploadLink>('FileUpload').implement({
    description: 'A link that sends a file.',
    fields: (t) => ({
      url: t.exposeString('url', { description: 'Address to POST the file to, once.' }),
      resumableUrl: t.exposeString('resumableUrl', { description: 'Address for tus.' }),
      expiresAt: t.field({ type: 'DateTime', description: 'Time it expires.', resolve: ({ expiresAt }) => expiresAt }),
    }),
  }),
);

/** What such a link is made with. */
export const CreateFileUploadInput = defineType(({ builder }) =>
  builder.inputType('CreateFileUploadInput', {
    description: 'A new link.',
    fields: (t) => ({ name: t.string({ required: true, description: 'Name of the file.' }) }),
  }),
);

/** A list of files. */
export const FileConnection = defineType((kit) =>
  kit.addConnection({ type: 'File', words: wordsOf('File') }, FileType(kit)),
);
