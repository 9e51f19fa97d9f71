const [quote, backslash, colon, openBrace, closeBrace, openBracket, closeBracket] = [...'"\\:{}[]'].map((character) =>
  character.charCodeAt(0),
);

/** Maximum length of a name in an error. */
const maxShown = 100;

/**
 * Finds a name that an object has twice. JSON.parse silently keeps the last of the values, so part of what the client
 * sent would be ignored.
 *
 * @param text valid JSON
 * @returns the name as JSON, shortened
 */
export function findDuplicateName(text: string): string | undefined {
  // The names of each object that is open; undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === openBrace) open.push(new Set());
    else if (code === openBracket) open.push(undefined);
    else if (code === closeBrace || code === closeBracket) open.pop();
    else if (code === quote) {
      const start = at;
      at = endOfString(text, start);
      const names = open.at(-1);
      if (!names || !isBeforeColon(text, at + 1)) continue;
      const name = readString(text.slice(start, at + 1));
      if (names.has(name)) return JSON.stringify(name.slice(0, maxShown));
      names.add(name);
    }
  }
  return undefined;
}

/** The place of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (at - first) % 2 === 1;
}

function isBeforeColon(text: string, after: number): boolean {
  let at = after;
  while (' \t\r\n'.includes(text.charAt(at))) at += 1;
  return text.charCodeAt(at) === colon;
}

/** The value of a string, which can be written in several ways. */
const readString = (json: string): string => (json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1));
