import { asGuestOf, type Context } from '../../context.ts';
import { conflict } from '../../errors.ts';
import { useRewritten } from '../../files/index.ts';
import { defineFile, maxAttachments } from '../../resource/index.ts';
import { fileMediaTypes } from '../files/files.ts';
import { addFile } from '../files/stored-files.ts';
import { type AnnouncedRow, findAnnounced, path, tag } from './guests.ts';

/** How many photos a guest may add to a package. */
const maxPhotos = 3;

/** How many pixels a side of a photo has at most. */
const side = 4000;

/** How long (ms) a photo may take to be written anew, with the time that it waits for others. */
const rewriteMs = 14_000;

/** Adds a guest's photo to the attachments of their package. */
export const addPackagePhoto = defineFile({
  type: 'AnnouncedPackage',
  words: { one: 'a photo' },
  access: 'public',
  tag,
  does: 'add',
  limit: 'image',
  answer: 'announcedPackage',
  field: 'addPackagePhoto',
  path: `${path}/:token/photos`,
  texts: ['token'],
  description: `Add a photo to an expected package, up to ${maxPhotos}, of 10 MB each. It is written anew, without what cameras add.`,
  mediaTypes: fileMediaTypes,
  async run({ path: { token = '' }, body, maxBytes }, context) {
    const announced = await findAnnounced(token, context);
    assertRoomForPhoto(announced);
    const ofHost = asGuestOf(announced.companyId, context);
    const signal = AbortSignal.timeout(rewriteMs);
    await useRewritten({ body, maxBytes, side, isSquare: false }, signal, (image) =>
      addFile(
        { body: image, name: `photo-${announced.photoCount + 1}.jpg`, maxBytes: Number.MAX_SAFE_INTEGER },
        ofHost,
        (fileId) => attach(announced, fileId, ofHost),
      ),
    );
    return token;
  },
});

/** @throws ServiceError CONFLICT when a package has all photos that it may have */
function assertRoomForPhoto({ photoCount, attachmentIds }: AnnouncedRow): void {
  if (photoCount >= maxPhotos || attachmentIds.length >= maxAttachments) throw full();
}

const full = () => conflict(`The package has ${maxPhotos} photos, or as many files as it may have.`);

/** Attaches a photo to a package, unless others have been faster. @throws ServiceError CONFLICT */
async function attach({ id }: AnnouncedRow, fileId: string, { unscopedDb, caller }: Context): Promise<void> {
  const count = await unscopedDb.$executeRaw`
    UPDATE expected_packages
    SET attachment_ids = attachment_ids || ${fileId}::uuid, photo_count = photo_count + 1, updated_at = clock_timestamp()
    WHERE company_id = ${caller.companyId}::uuid AND id = ${id}::uuid
      AND photo_count < ${maxPhotos}::int AND cardinality(attachment_ids) < ${maxAttachments}::int`;
  if (count === 0) throw full();
}
