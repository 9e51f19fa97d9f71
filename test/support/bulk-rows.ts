// Rows of all tables of a company by plain SQL, each value computed from the row's number: as fast as the database is.
import facts from '../../src/database/generated/facts.ts';
import type { Database } from '../../src/database/index.ts';

interface Column {
  readonly databaseName?: string;
  readonly type: string;
  readonly enum: boolean;
  readonly list: boolean;
  readonly required: boolean;
  readonly maxLength?: number;
  readonly precision?: number;
  readonly scale?: number;
}

interface Model {
  readonly table: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly references: Readonly<Record<string, string>>;
  readonly uniques: Readonly<Record<string, readonly string[]>>;
}

const models: Readonly<Record<string, Model>> = facts.models;
const enums: Readonly<Record<string, { readonly databaseType: string }>> = facts.enums;

/** Number of rows by model; models that are not named have `others`. */
export interface BulkSizes {
  readonly others: number;
  readonly [model: string]: number;
}

/** Tables of accounts, the log and the service's own work, which no list shows. */
const left =
  /^(Company|ApiToken|Session|SecurityEvent|Invitation|IdempotencyKey|Counter|Change|ChangeLog|ChangeHorizon|Dashboard|StatusPeriod|Notification\w*|ClockMark|Secret|AiUsage\w+|Saved\w+|CalendarFeed|File\w*|Import\w*|Job|Webhook\w*)$/;

/** The tables that are filled: those with rows of companies that lists show. */
const filled = Object.entries(models).filter(([name, { columns }]) => 'companyId' in columns && !left.test(name));

/**
 * Creates a company's rows. Rows that a unique index refuses are left out.
 * @returns their number
 */
export async function createBulkRows(database: Database, companyId: string, sizes: BulkSizes): Promise<number> {
  const counts = await database.prisma.$transaction(
    async (transaction) => {
      // References are right by construction, and nothing here is about the log of changes.
      await transaction.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
      const numbers: number[] = [];
      for (const statement of bulkInserts(companyId, sizes))
        numbers.push(await transaction.$executeRawUnsafe(statement));
      return numbers;
    },
    { timeout: 3_600_000 },
  );
  await database.prisma.$executeRawUnsafe('ANALYZE');
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The statements that insert a company's rows. */
export const bulkInserts = (companyId: string, sizes: BulkSizes): string[] =>
  filled.map(
    ([name, model]) =>
      `${insertion(name, model, companyId, (each) => sizes[each] ?? sizes.others)} ON CONFLICT DO NOTHING`,
  );

function insertion(name: string, model: Model, companyId: string, sizeOf: (model: string) => number): string {
  const unique = new Set(Object.values(model.uniques).flat());
  // A row belongs to one of two kinds of requests.
  const isThread = 'serviceRequestId' in model.references && 'moveRequestId' in model.references;
  const columns = Object.entries(model.columns).filter(([column]) => column !== 'trackingKey');
  const values = columns.map(([column, facts], salt) => {
    const random = `(hashint4(n + ${1_000_003 * salt}) & 2147483647)`;
    if (column === 'companyId') return `'${companyId}'::uuid`;
    // There are no files.
    if (column === 'attachmentIds') return `ARRAY[]::uuid[]`;
    if (column === 'fileId') return 'NULL';
    if (column === 'id') return idSql(companyId, name, 'n');
    const target = model.references[column];
    const value = target
      ? idSql(companyId, target, `(1 + ${random} % ${sizeOf(target)})`)
      : valueSql(facts, random, unique.has(column));
    if (isThread && column === 'serviceRequestId') return `CASE WHEN n % 4 > 0 THEN ${value} END`;
    if (isThread && column === 'moveRequestId') return `CASE WHEN n % 4 = 0 THEN ${value} END`;
    // The id in another system and the system's name come together.
    if (column.startsWith('external')) return `CASE WHEN n % 4 > 0 THEN ${value} END`;
    return facts.required ? value : `CASE WHEN (hashint4(n - ${7_000_003 * salt}) & 7) > 1 THEN ${value} END`;
  });
  const names = columns.map(([column, { databaseName = column }]) => `"${databaseName}"`);
  return `INSERT INTO "${model.table}" (${names.join(', ')}) SELECT ${values.join(', ')} FROM generate_series(1, ${sizeOf(name)}) AS n`;
}

const idSql = (companyId: string, model: string, number: string) => `md5('${companyId}${model}' || ${number})::uuid`;

/** Texts with what filters could mistake: capitals, patterns, quotes, commas, letters beyond ASCII. */
const words = ['Lamp', 'lamp', 'DOOR', "O''Brien", '50%_off', 'a\\b', 'Zoë, "quoted"', '=1+1', '1Z-99 9'];
const wordsSql = `(ARRAY[${words.map((word) => `'${word}'`).join(', ')}])`;

function valueSql(column: Column, random: string, isUnique: boolean): string {
  const { type, maxLength, precision = 10, scale = 2 } = column;
  if (column.list) return `ARRAY['a', 'b']`;
  if (column.enum) {
    const all = `enum_range(NULL::"${enums[type]?.databaseType}")`;
    return `(${all})[1 + ${random} % array_length(${all}, 1)]`;
  }
  switch (type) {
    case 'Boolean':
      return `${random} % 3 = 0`;
    case 'Int':
      return `${random} % 40`;
    case 'Decimal':
      // Few different values for a length of time, many for an amount.
      return `round((${random} % ${10 ** Math.min(precision - scale, 4)}) / 8.0, ${scale})`;
    case 'Date':
      return `date '2026-01-01' + ${random} % 700`;
    case 'DateTime':
      // Every eighth within hours of a change of the clocks in Europe.
      return `CASE WHEN ${random} % 8 = 0 THEN timestamptz '2026-10-24 22:00Z' + make_interval(mins => ${random} % 600)
        ELSE timestamptz '2025-12-15 00:00Z' + make_interval(secs => ${random} % 40000000) END`;
    case 'Uuid':
      return `md5(${random}::text)::uuid`;
    case 'Bytes':
      return `decode(md5(${random} || 'x' || n), 'hex')`;
    case 'Json':
      return `'{}'::jsonb`;
    default: {
      const text = isUnique
        ? `${wordsSql}[1 + ${random} % ${words.length}] || ' ' || n`
        : `${wordsSql}[1 + ${random} % ${words.length}] || ' ' || ${random} % 20`;
      return maxLength === undefined ? text : `left(${text}, ${maxLength})`;
    }
  }
}
