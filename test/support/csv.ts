/** A strict parser of RFC 4180: the cells of each record. @throws Error for anything else */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let record: string[] = [];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const [, quoted, plain = '', end] = field.exec(text) ?? [];
    if (end === undefined) throw new Error(`no CSV at ${at}: ${text.slice(at, at + 80)}`);
    record.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') {
      records.push(record);
      record = [];
    }
  }
  return records;
}
