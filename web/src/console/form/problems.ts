import { fieldErrorsOf } from '../../components/problems.ts';
import { formatFieldError } from '../../format.ts';
import { t } from '../../texts/console.ts';

/** What is wrong with what was entered. */
export interface Problems {
  /** By the name of the field; of items by path, such as `lineItems.0.quantity`. */
  readonly byField: Readonly<Record<string, string>>;
  /** What is about no field that the form has. */
  readonly message: string | undefined;
}

/** Sorts an error of the API to the fields of a form. */
export function problemsOf(
  error: Error | null,
  fields: readonly { readonly name: string; readonly label: string }[],
): Problems {
  if (!error) return { byField: {}, message: undefined };
  const details = Object.entries(fieldErrorsOf(error));
  const labels = new Map(fields.map(({ name, label }) => [name, label]));
  // Details name the path of an argument: `input.title`.
  const placed = details.map(([path, text]) => [path.replace(/^input\./, ''), text] as const);
  const isShown = (path: string) => labels.has(path.split('.')[0] ?? '');
  const byField = placed
    .filter(([path]) => isShown(path))
    .map(([path, text]) => [path, formatFieldError(labels.get(path) ?? t('this'), text) ?? text]);
  const others = placed.filter(([path]) => !isShown(path)).map(([path, text]) => `${path} ${text}`);
  const message = details.length === 0 ? error.message : others.join(' ');
  return { byField: Object.fromEntries(byField) as Record<string, string>, message: message || undefined };
}
