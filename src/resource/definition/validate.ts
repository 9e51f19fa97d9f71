import { z } from 'zod';
import { emailPattern, findEmailError } from '../../auth/email.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { isApiField } from '../../database/read/models.ts';
import type { StoredField } from '../../database/stored-field.ts';
import type { FieldErrors } from '../../errors.ts';
import type { Checked, Rule, RuleFacts } from '../../fields/index.ts';
import { messages } from '../../input/index.ts';
import type { Stored } from './model.ts';

const ip = z.union([z.ipv4(), z.ipv6()]);

/** The characters that browsers accept in a URL; they encode those that RFC 3986 excludes. */
const inUrl = '[^\\s\\x00-\\x1f\\x7f]*';

/** Creates a rule with its JSON Schema facts. */
const rule = <Value>(facts: RuleFacts, error: (value: Value) => string | undefined) => Object.assign(error, { facts });

/** Creates a rule for text that matches a pattern. */
function patternRule(pattern: string, error: string) {
  const form = new RegExp(`^(${pattern})$`);
  return rule({ pattern }, (value: string) => (form.test(value) ? undefined : error));
}

/** The rules available to columns, in addition to those of their types. */
export const rules = {
  email: rule({ pattern: emailPattern }, findEmailError),
  url: patternRule(
    `[Hh][Tt][Tt][Pp][Ss]?://([A-Za-z0-9._~%!$&'()*+,;=:-]*@)?([A-Za-z0-9._~\\u00a1-\\uffff-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?([/?#]${inUrl})?`,
    messages.url,
  ),
  ip: rule({ formats: ['ipv4', 'ipv6'] }, (value: string) =>
    ip.safeParse(value).success ? undefined : 'must be an IP address',
  ),
  color: patternRule('#([0-9A-Fa-f]{3}){1,2}', 'must be a hex color such as #0a8 or #00aa88'),
  /** Numbers from `least` to `most`, inclusive. */
  between: (least: number, most: number) =>
    rule({ minimum: least, maximum: most }, (value: Prisma.Decimal) =>
      value.gte(least) && value.lte(most) ? undefined : messages.between(least, most),
    ),
  /** Numbers from `least`. */
  atLeast: (least: number) =>
    rule({ minimum: least }, (value: number) => (value >= least ? undefined : `must be at least ${least}`)),
  /** Numbers over 0. */
  positive: rule({ exclusiveMinimum: 0 }, (value: number) => (value > 0 ? undefined : 'must be over 0')),
  /** Numbers over `least`, up to and including `most`. */
  over: (least: number, most: number) =>
    rule({ exclusiveMinimum: least, maximum: most }, (value: Prisma.Decimal) =>
      value.gt(least) && value.lte(most) ? undefined : `must be over ${least} and at most ${most}`,
    ),
} satisfies Record<string, Rule | ((...limits: never[]) => Rule)>;

/** Normalizes and validates one value of a body against its column. @returns the value to store, or an error */
export function checkValue(value: unknown, field: StoredField, rule?: Rule): Checked {
  if (value === null) return field.required ? { error: messages.notNull } : { value };
  // Only the service sets what no field shows, such as the hash of a token.
  return isApiField(field) ? field.type.check(value, field, rule) : { value };
}

/**
 * Validates a whole body, and reports all errors at once. In a whole row null is the same as leaving out a column with
 * a default; in a change it is a value.
 *
 * @param required the columns that a whole row requires; undefined for a change of some columns
 */
export function checkBody(
  body: Readonly<Record<string, unknown>>,
  { stored }: Stored,
  ruleOf: Readonly<Record<string, Rule | undefined>>,
  required: readonly string[] | undefined,
): { data: Record<string, unknown>; errors: FieldErrors } {
  const data: Record<string, unknown> = {};
  const errors: FieldErrors = {};
  for (const column of required ?? []) if (body[column] === undefined) errors[column] = messages.required;
  for (const [name, given] of Object.entries(body)) {
    const facts = stored[name];
    if (!facts || given === undefined) continue;
    if (given === null && facts.required && required?.includes(name) === false) continue;
    const checked = checkValue(given, facts, ruleOf[name]);
    if ('error' in checked) errors[name] = checked.error;
    else {
      data[name] = checked.value;
      for (const [place, error] of Object.entries(checked.errors ?? {}))
        errors[place === '' ? name : `${name}.${place}`] = error;
    }
  }
  return { data, errors };
}
