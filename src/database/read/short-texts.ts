/**
 * Letters with one upper case, that no other letter has or contains but for those below. Not İ, as which i with a dot
 * is compared too.
 */
const cased =
  /^[a-z\u00e0-\u00f6\u00f8-\u00fe\u00ff\u0101-\u012f\u0133-\u0148\u014b-\u0177\u017a-\u017e\u0430-\u045f]$/;

/** What has no case: digits, and letters such as those of Chinese, Japanese, Korean, Arabic, Hebrew or Thai. */
const uncased = /^[0-9\p{Lo}]$/u;

/** Other letters whose upper case has one of those. */
const others = Object.entries({
  ...{ ß: 'SS', ẞ: 'SS', ſ: 'S', ﬅ: 'ST', ﬆ: 'ST', ﬀ: 'FF', ﬁ: 'FI', ﬂ: 'FL', ﬃ: 'FFI', ﬄ: 'FFL', ŉ: 'ʼN', ı: 'I' },
  ...{ ǰ: 'J\u030c', ẖ: 'H\u0331', ẗ: 'T\u0308', ẘ: 'W\u030a', ẙ: 'Y\u030a', ẚ: 'Aʾ' },
  ...{ ᲀ: 'В', ᲁ: 'Д', ᲂ: 'О', ᲃ: 'С', ᲄ: 'Т', ᲅ: 'Т', ᲆ: 'Ъ' },
});

/** The others whose upper case meets a condition. */
const othersWhere = (holds: (upper: string) => boolean): string =>
  others.flatMap(([letter, upper]) => (holds(upper) ? [letter] : [])).join('');

/**
 * A regular expression for the texts that contain a text of one or two letters or digits in any case, as `fold_case`
 * compares them. No index helps, as it has no trigram, and to fold the text of every row takes several times as long.
 *
 * @returns undefined if the text is empty, longer or has other characters
 */
export function shortPattern(text: string): string | undefined {
  const characters = [...text.toLowerCase()];
  const [first = '', last = ''] = characters;
  const isShort = characters.length === 1 || characters.length === 2;
  if (!isShort || !characters.every((each) => cased.test(each) || uncased.test(each))) return undefined;
  const [start, end] = [first.toUpperCase(), last.toUpperCase()];
  // With a dot it is another letter.
  const after = (last || first) === 'i' ? '([^\u0307]|$)' : '';
  if (!last) return `[${first}${start}${othersWhere((upper) => upper.includes(start))}]${after}`;
  const starts = `[${first}${start}${othersWhere((upper) => upper.endsWith(start))}]`;
  const ends = `[${last}${end}${othersWhere((upper) => upper.startsWith(end))}]`;
  const both = othersWhere((upper) => upper.includes(start + end));
  return `(${starts}${ends}${both && `|[${both}]`})${after}`;
}
