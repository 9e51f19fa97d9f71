import type { File } from '../../database/generated/client/client.ts';
import { ServiceError } from '../../errors.ts';
import { previewOf, previewSizes, sizesOfPreviews as sizes } from '../../files/index.ts';
import { defineFile } from '../../resource/index.ts';
import { ofFiles } from './files.ts';
import { filesOf, findContent, storedContent } from './stored-files.ts';

/** Sends a preview of a file. */
export const filePreview = defineFile({
  ...ofFiles,
  does: 'send',
  hasParts: true,
  field: 'filePreview',
  path: '/files/:id/preview',
  description:
    'Get a preview of an image: upright, and without what cameras write into images. 404 while there is none.',
  parameters: [
    {
      name: 'size',
      description: `How many pixels its longer side has at most: ${sizes.map((size) => `${size} ${previewSizes[size]}`).join(', ')}. By default medium.`,
      values: sizes,
    },
  ],
  mediaTypes: ['image/webp'],
  async run({ path, query }, context) {
    const { store } = filesOf(context);
    const file = await findContent(path['id'] ?? '', context);
    const size = sizes.find((each) => each === query['size']) ?? 'medium';
    const bytes = file.previewBytes[sizes.indexOf(size)];
    if (file.previewStatus !== 'READY' || bytes === undefined) throw new ServiceError('NOT_FOUND', reasonOf(file));
    return {
      type: 'image/webp',
      name: `${file.name}.webp`,
      isInline: true,
      content: storedContent(store, previewOf(file, size), { size: bytes, etag: `${file.sha256}-${size}` }),
    };
  },
});

/** Why a file has no preview. */
function reasonOf({ previewStatus, previewError }: File): string {
  if (previewStatus === 'PENDING') return 'The preview is being made; try again in a few seconds.';
  return `The file has no preview. ${previewError ?? 'Images of up to 100 MB have some, as PNG, JPEG, WebP, GIF or AVIF.'}`;
}
