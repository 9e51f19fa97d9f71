/**
 * Saves the body of a response as a file, under the name that the service gives it.
 *
 * @param fallback its name where the service gives none
 */
export async function saveResponse(response: Response, fallback: string): Promise<void> {
  const [, name = fallback] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const href = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}
