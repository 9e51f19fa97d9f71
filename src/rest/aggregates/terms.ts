// The syntax of `measures`: `late:count`, `amount.sum`, `resolution_hours.percentile(0.9)`, `ratio(late,count)`.
import { badRequest } from '../../errors.ts';

/** A part of a term: a name, and what stands in brackets behind it. */
export interface Step {
  readonly name: string;
  readonly given: readonly string[];
}

/** The names that figures may have. */
export const namePattern = /^[A-Za-z]\w{0,49}$/;

/** Splits a text outside brackets, and trims the parts. */
export function splitOutside(text: string, separator: ',' | '.'): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === separator && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

/** A measure and the name that a request gives it. */
export function termOf(text: string): { readonly alias: string | undefined; readonly term: string } {
  const [, alias, term = ''] = /^(?:([^:()]*):)?(.*)$/s.exec(text) ?? [];
  return { alias: alias?.trim(), term: term.trim() };
}

/** The parts of a term, which dots separate. @throws ServiceError BAD_REQUEST */
export const stepsOf = (term: string, parameter: string): Step[] =>
  splitOutside(term, '.').map((part) => {
    const [, name, given] = /^(\w+)(?:\(([^()]*)\))?$/.exec(part) ?? [];
    if (name === undefined)
      throw badRequest(
        `has ${term.slice(0, 100)}, which is none such as amount.sum, created_at.month or late:count`,
        parameter,
      );
    return { name, given: given === undefined ? [] : given.split(',').map((each) => each.trim()) };
  });
