import { type Context, inTransaction } from '../../context.ts';
import { useRewritten } from '../../files/index.ts';
import { defineFile } from '../../resource/index.ts';
import { contentPath } from '../files/addresses.ts';
import { addFile } from '../files/stored-files.ts';

/** How many pixels the sides of a picture have. */
const side = 512;

/** How long (ms) a picture may take to be written anew, with the time that it waits for others. */
const rewriteMs = 14_000;

const ofAvatar = {
  type: 'Me',
  words: { one: 'a picture' },
  access: 'session',
  path: '/me/avatar',
  tag: { name: 'Account', description: 'What people set up for themselves, in a session.' },
} as const;

/** Sets the picture of the signed-in user. */
const setAvatar = defineFile({
  ...ofAvatar,
  does: 'receive',
  limit: 'image',
  field: 'setAvatar',
  description: 'Set your picture in this company: an image of up to 10 MB, which is cut to a square and written anew.',
  mediaTypes: ['application/octet-stream'],
  async run({ body, maxBytes }, context) {
    const before = await avatarOf(context);
    await useRewritten({ body, maxBytes, side, isSquare: true }, AbortSignal.timeout(rewriteMs), (image) =>
      addFile({ body: image, name: 'avatar.jpg', maxBytes: Number.MAX_SAFE_INTEGER }, context, (avatarId) =>
        change({ avatarId, avatarUrl: contentPath(avatarId, context) }, context),
      ),
    );
    await forget(before, context);
  },
});

/** Removes the picture of the signed-in user. */
const removeAvatar = defineFile({
  ...ofAvatar,
  does: 'remove',
  field: 'removeAvatar',
  description: 'Remove your picture in this company.',
  mediaTypes: [],
  async run(_request, context) {
    const before = await avatarOf(context);
    await inTransaction(context, () => change({ avatarId: null, avatarUrl: null }, context));
    await forget(before, context);
  },
});

/** The operations on the picture of the signed-in user. */
export const avatarOperations = [setAvatar, removeAvatar];

async function avatarOf({ db, caller }: Context): Promise<string | null> {
  const user = await db.user.findFirst({ where: { id: caller.userId }, select: { avatarId: true } });
  return user?.avatarId ?? null;
}

const change = (
  data: { readonly avatarId: string | null; readonly avatarUrl: string | null },
  { db, caller }: Context,
): Promise<void> => db.user.update({ where: { id: caller.userId }, data });

/** Deletes a picture that was replaced, unless another row holds it. */
async function forget(id: string | null, { db }: Context): Promise<void> {
  if (id !== null) await db.file.deleteMany({ where: { id, unheldSince: { not: null } } });
}
