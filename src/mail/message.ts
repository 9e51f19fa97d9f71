/** A message to one person. */
export interface Message {
  /** Email address. */
  readonly to: string;
  readonly subject: string;
  /** Its paragraphs, as plain text. */
  readonly paragraphs: readonly string[];
  /** A page of this service to open, below the last paragraph. */
  readonly link?: { readonly label: string; readonly path: string };
}

/** Renders a message as plain text and as HTML. @param publicUrl the address of the service */
export function renderMessage(
  { paragraphs, link }: Pick<Message, 'paragraphs' | 'link'>,
  publicUrl: string,
): { text: string; html: string } {
  const address = link && publicUrl + link.path;
  const text = [...paragraphs, ...(link ? [`${link.label}: ${address}`] : [])].join('\n\n');
  const button = link && `<a href="${escapeHtml(address ?? '')}">${escapeHtml(link.label)}</a>`;
  const blocks = [...paragraphs.map(escapeHtml), ...(button ? [button] : [])].map((block) => `<p>${block}</p>`);
  const style = 'font:16px/1.5 system-ui,sans-serif;max-width:36em';
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><body style="${style}">${blocks.join('')}</body></html>`;
  return { text: `${text}\n`, html };
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
