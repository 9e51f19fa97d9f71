/** A value that is JSON already: PostgreSQL wrote it. */
export class JsonText {
  constructor(readonly text: string) {}
}
