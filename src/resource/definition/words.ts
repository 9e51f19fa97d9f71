// What people call rows. Nothing here knows English but the simplest rule: others are declared.
import { spaced } from '../../names.ts';

/** One row, with its article: `an HR document`. */
type OneRow = `${'a' | 'an' | 'the'} ${string}`;

/** What a definition says about its words. */
export interface GivenWords {
  /** One row. By default the name of its type, such as `a paint location`. */
  readonly one?: OneRow;
  /** Several rows: `HR documents`. By default one row's noun with an `s`. */
  readonly many?: string;
}

/** What people call rows. */
export interface Words {
  /** One row. */
  readonly one: OneRow;
  /** One row, without article: `HR document`. */
  readonly noun: string;
  /** Several rows: `HR documents`. */
  readonly many: string;
  /** Several rows in names of the schema: `HrDocuments`. */
  readonly manyInNames: string;
}

/** The words of rows. @param type their GraphQL type, which names them where no words are given */
export function wordsOf(type: string, { one = `a ${spaced(type)}`, many: given }: GivenWords = {}): Words {
  const noun = one.slice(one.indexOf(' ') + 1);
  const many = given ?? `${noun}s`;
  return { one, noun, many, manyInNames: many.split(' ').map(capitalize).join('') };
}

/** `HR` → `Hr`. */
const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
