import { AvatarDocument, CreateFileUploadDocument } from './generated/graphql.ts';
import { execute } from './graphql.ts';
import { send } from './http.ts';

/** The kinds of images that the service takes. Phones convert their own to one of them. */
export const imageTypes = 'image/jpeg,image/png,image/webp,image/gif,image/avif';

/** Sends a file as it is. @throws ApiError */
const sendFile = (method: 'POST' | 'PUT', path: string, body: File) =>
  send(
    new Request(`/api/v1${path}`, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/octet-stream' },
      body,
    }),
  );

/** Adds a photo to a guest's package. @param token the one that the package is tracked by */
export const addPhoto = (token: string, photo: File) =>
  sendFile('POST', `/public/expected-packages/${token}/photos`, photo);

/** The address of a person's picture in the active company, on the host of the page; null without one. */
export async function getAvatar(id: string): Promise<string | null> {
  const { avatarUrl } = (await execute(AvatarDocument, { id })).user;
  return avatarUrl && new URL(avatarUrl).pathname;
}

/** Sets the picture of the signed-in person. */
export const setAvatar = (picture: File) => sendFile('PUT', '/me/avatar', picture);

/** Removes the picture of the signed-in person. */
export const removeAvatar = () => send(new Request('/api/v1/me/avatar', { method: 'DELETE' }));

/** Stores a file, which is the person's alone until a row has it. @returns its id */
export async function uploadFile(file: File): Promise<string> {
  const { url } = (await execute(CreateFileUploadDocument, { name: file.name })).createFileUpload;
  const { pathname, search } = new URL(url);
  const response = await send(
    new Request(pathname + search, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/octet-stream' },
      body: file,
    }),
  );
  return ((await response.json()) as { data: { id: string } }).data.id;
}
