import { cloneElement, Fragment, type ReactElement } from 'react';
import { fill, type Translate, type Values } from './texts.ts';

interface Props<Key extends string> {
  readonly t: Translate<Key>;
  readonly name: Key;
  readonly values?: Values;
  /** The elements within the text, by their names there. */
  readonly components: Readonly<Record<string, ReactElement>>;
}

/** A text with elements in it, such as `See <a>the list</a>`. */
export function Trans<Key extends string>({ t, name, values, components }: Props<Key>) {
  // Split before it has its values, which can contain anything: text, an element's name, what it contains, text, …
  const parts = t.template(name, values).split(/<(\w+)>(.*?)<\/\1>/);
  return parts.map((part, n) => {
    if (n % 3 === 1) return null;
    const element = n % 3 === 2 && components[parts[n - 1] ?? ''];
    const key = String(n);
    return element ? (
      cloneElement(element, { key }, ...(part ? [fill(part, values)] : []))
    ) : (
      <Fragment key={key}>{fill(part, values)}</Fragment>
    );
  });
}
