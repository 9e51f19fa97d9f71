/** What newer browsers know of JSON, and TypeScript does not yet: the text of a number, and how to print it again. */
interface ExactJson {
  readonly rawJSON?: (text: string) => unknown;
  readonly parse: (
    text: string,
    revive: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ) => unknown;
}

const { rawJSON, parse }: ExactJson = JSON;

/**
 * Indents JSON and keeps the digits of its numbers, which may be more than a JavaScript number holds; a browser without
 * `JSON.rawJSON` rounds those. Other text stays as it is.
 */
export function indentJson(text: string): string {
  try {
    const parsed = parse(text, (_key, value, context) =>
      typeof value === 'number' && rawJSON && context?.source ? rawJSON(context.source) : value,
    );
    return JSON.stringify(parsed, null, 2);
  } catch {
    return text;
  }
}
