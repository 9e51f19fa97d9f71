/** A page of this service. */
export interface MessageLink {
  readonly label: string;
  /** Below the address of the service. */
  readonly path: string;
}

/** A file of a message. */
export interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** A message to one person. */
export interface Message {
  /** Email address. */
  readonly to: string;
  readonly subject: string;
  /** Its paragraphs, as plain text. */
  readonly paragraphs: readonly string[];
  /** A page to open, below the last paragraph. */
  readonly link?: MessageLink;
  /** Further pages, at the end. */
  readonly footer?: readonly MessageLink[];
  /** Where mail programs unsubscribe its recipient with one POST (RFC 8058), as a path. */
  readonly unsubscribePath?: string;
  readonly attachments?: readonly MailAttachment[];
  /** Identifies a message that is sent again after an attempt whose result is unknown. */
  readonly id?: string;
}

/** Renders a message as plain text and as HTML. @param publicUrl the address of the service */
export function renderMessage(
  { paragraphs, link, footer = [] }: Pick<Message, 'paragraphs' | 'link' | 'footer'>,
  publicUrl: string,
): { text: string; html: string } {
  const inText = ({ label, path }: MessageLink) => `${label}: ${publicUrl}${path}`;
  const inHtml = ({ label, path }: MessageLink) => `<a href="${escapeHtml(publicUrl + path)}">${escapeHtml(label)}</a>`;
  const text = [
    ...paragraphs,
    ...(link ? [inText(link)] : []),
    ...(footer.length > 0 ? [['-- ', ...footer.map(inText)].join('\n')] : []),
  ].join('\n\n');
  const blocks = [...paragraphs.map(escapeHtml), ...(link ? [inHtml(link)] : [])].map((block) => `<p>${block}</p>`);
  const small = `<p style="font-size:13px">${footer.map(inHtml).join('<br>')}</p>`;
  const style = 'font:16px/1.5 system-ui,sans-serif;max-width:36em';
  const body = [...blocks, ...(footer.length > 0 ? ['<hr>', small] : [])].join('');
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><body style="${style}">${body}</body></html>`;
  return { text: `${text}\n`, html };
}

/** The headers of a message beside those of its addresses and content. */
export const headersOf = ({ unsubscribePath }: Message, publicUrl: string): Record<string, string> => ({
  'Auto-Submitted': 'auto-generated',
  ...(unsubscribePath !== undefined && {
    'List-Unsubscribe': `<${publicUrl}${unsubscribePath}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }),
});

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
