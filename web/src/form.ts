/** The text in a field of a form; empty if the form has no such field. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}

/** Resets a form once its data is saved, unless somebody has already typed something else into it. */
export function resetUnchanged(form: HTMLFormElement, submitted: FormData): void {
  if ([...new FormData(form)].every(([name, value]) => value === submitted.get(name))) form.reset();
}
