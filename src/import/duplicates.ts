// Finds rows of one file that have the same key: pages are written, or taken back, one by one, so that the database
// would find those of one page alone.
import { createHash } from 'node:crypto';
import { snakeCase } from '../names.ts';
import type { Resource, Row } from '../resource/index.ts';
import { type ItemNode, nameInFile } from './items.ts';
import type { PlannedPage, PlannedWrite, RowErrors, RowOptions } from './rows.ts';

/** The columns of a key. */
type Key = readonly string[];

/** The keys that a file has had so far. */
export class FileKeys {
  private readonly own: readonly Key[];
  /** Key, as a number → the line that has it. Numbers take less memory than texts, of which there can be millions. */
  private readonly lines = new Map<number, number>();

  constructor(private readonly options: RowOptions) {
    const { resource, key = ['id'] } = options.target;
    this.own = keysOf(resource, key);
  }

  /** Refuses the rows of a page whose key, or that of an item, an earlier row has. */
  take({ writes, refused }: PlannedPage): PlannedPage {
    const more: RowErrors[] = [];
    const kept = writes.filter((planned) => {
      const errors = [...this.add(planned), ...this.addItems(planned.write.input, planned.node, planned)];
      if (errors.length > 0) more.push({ row: planned.row, errors });
      return errors.length === 0;
    });
    return { writes: kept, refused: [...refused, ...more] };
  }

  private add(planned: PlannedWrite): string[] {
    const { row } = planned;
    const values = this.valuesOf(planned);
    return this.own.flatMap((columns) => {
      const line = this.lineOf(undefined, columns, values, row.line);
      return line === undefined ? [] : [`${columns.map(snakeCase).join(', ')}: is the same as in line ${line}`];
    });
  }

  /** What a row has of keys: an update leaves out what is set in new rows only, and the parent of new rows is apart. */
  private valuesOf({ values, write, parentId }: PlannedWrite): Row {
    const { resource, key = [] } = this.options.target;
    const { parent } = resource;
    return {
      ...Object.fromEntries(key.map((name) => [name, values[name]])),
      ...write.input,
      ...(write.action === 'update' && { id: write.id }),
      ...(parent && parentId !== undefined && { [parent.column]: parentId }),
    };
  }

  /** Adds the keys of items that are rows of a resource. */
  private addItems(input: Readonly<Row>, { lists }: ItemNode, planned: PlannedWrite, place = ''): string[] {
    return lists.flatMap(({ list: { relation, resource }, items }) => {
      const rows = (input[relation] ?? []) as readonly Readonly<Row>[];
      return rows.flatMap((values, n) => {
        const at = `${place}${relation}.${n}.`;
        const keys = resource ? keysOf(resource) : [];
        const errors = keys.flatMap((columns) => {
          const line = this.lineOf(resource?.type, columns, values, planned.row.line);
          const names = columns.map((column) => nameInFile(planned.node, at + column));
          return line === undefined ? [] : [`${names.join(', ')}: is the same as in line ${line}`];
        });
        const item = items[n];
        return item ? [...errors, ...this.addItems(values, item, planned, at)] : errors;
      });
    });
  }

  /** Notes a key. @returns the line of another row that has it */
  private lineOf(of: string | undefined, columns: Key, values: Readonly<Row>, line: number): number | undefined {
    const parts = columns.map((column) => values[column] ?? null);
    if (parts.some((part) => part === null)) return undefined;
    const text = JSON.stringify([of, columns, parts]);
    const key = createHash('sha1').update(text).digest().readUIntBE(0, 6);
    const known = this.lines.get(key);
    if (known !== undefined) return known === line ? undefined : known;
    this.lines.set(key, line);
    return undefined;
  }
}

/** The keys of which a file has each once. */
const keysOf = ({ uniques }: Resource, ...more: readonly Key[]): readonly Key[] =>
  [['id'], ...more, ...Object.values(uniques)].filter(
    (columns, at, all) => all.findIndex((other) => other.join() === columns.join()) === at,
  );
