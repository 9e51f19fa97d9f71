import { actorSetting } from '../database/actor.ts';
import type { Connection, Database } from '../database/index.ts';
import { encodePosition } from '../events/position.ts';
import { isUuid, uuidAt } from '../formats.ts';
import { parseSlug, sandboxNames, unprovenElsewhere } from './accounts.ts';
import { fileOf } from './archive-manifest.ts';
import { ArchiveError, type CompanyArchive } from './company-archive.ts';
import { isExported, omittedTables } from './company-export.ts';
import {
  addressOf,
  avatarsOf,
  discardFiles,
  findWithheld,
  type ImportedFiles,
  storeFiles,
  valuesOfWithheld,
} from './company-import-files.ts';
import { replacedValues, sequences } from './company-import-values.ts';
import {
  type CompanyTable,
  describeCompanies,
  inOrderOfReferences,
  lastMigration,
  listCompanyTables,
} from './company-tables.ts';

/** How many rows, and characters of them, are sent to the database at once. */
const rowsAtOnce = 500;
const lengthAtOnce = 4_000_000;

/**
 * The tables that an archive has and an import leaves out: what needs a secret, which no archive has, and what is about
 * to be sent or done, as the company that was exported does it.
 */
export const leftOutTables: readonly string[] = [
  'api_tokens',
  'invitations',
  'webhooks',
  'webhook_earlier_secrets',
  'webhook_deliveries',
  'guest_mails',
  'calendar_feeds',
  'jobs',
  'saved_query_schedules',
];

/** The tables that are filled first, in other ways than the others. */
const firstTables: readonly string[] = ['companies', 'users'];

/** What was imported. */
export interface ImportedCompany {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly sandbox: { readonly id: string; readonly slug: string };
  readonly rows: number;
  readonly people: { readonly all: number; readonly known: number };
  /** How many rows of each table were left out, where the archive has some. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/**
 * Creates a company from an archive, with a new sandbox. Its ids stay where they are free. People who are known by
 * their email address become its users as they are; others are created, without anything that signs them in. One
 * transaction does all of it, which holds a limited number of rows in memory. Bytes of files are stored before it ends.
 *
 * @param owner migrated, opened as the role that owns the tables, as it writes the logs
 * @param files where bytes are stored, and the address of the service, which those of files in rows get
 * @param slug replaces that of the archive
 * @throws ArchiveError for an archive that does not fit; ServiceError for a slug that is malformed
 */
export async function importCompany(
  owner: Database,
  files: ImportedFiles,
  archive: CompanyArchive,
  slug?: string,
): Promise<ImportedCompany> {
  const { prisma } = owner;
  assertVersion(archive, await lastMigration(prisma));
  const tables = [await describeCompanies(prisma), ...(await listCompanyTables(prisma))];
  const known = tables.filter(({ name }) => !omittedTables.includes(name));
  for (const { name } of known)
    if (!archive.has(fileOf(name))) throw new ArchiveError(`The archive has no ${fileOf(name)}`);
  let work: Import | undefined;
  try {
    return await owner.inOneTransaction((connection) => {
      work = new Import(connection, files, archive, known);
      return work.run(slug);
    });
  } catch (error) {
    // What was committed although its connection broke keeps its files. What stays of others is deleted after a day.
    await discardFiles(owner, files, work?.companyId ?? '').catch(() => {});
    throw error;
  }
}

/** @throws ArchiveError when the archive was not written by this version */
function assertVersion({ manifest }: CompanyArchive, last: string): void {
  if (manifest.migration === last) return;
  throw new ArchiveError(
    `The archive is of another version, whose last migration is ${manifest.migration}, and here it is ${last}. Import ` +
      'it with that version and upgrade then, or export it again with this one',
  );
}

class Import {
  /** The ids that are replaced, in all texts. */
  private readonly ids = new Map<string, string>();
  companyId = '';

  constructor(
    private readonly connection: Connection,
    private readonly files: ImportedFiles,
    private readonly archive: CompanyArchive,
    private readonly tables: readonly CompanyTable[],
  ) {}

  async run(givenSlug?: string): Promise<ImportedCompany> {
    const { connection, archive } = this;
    const actor = actorSetting({ kind: 'command_line' });
    await connection.read('SELECT set_config($1, $2, true)', [actor.name, actor.value]);
    await connection.execute('CREATE TEMPORARY TABLE imported (line json NOT NULL) ON COMMIT DROP');

    const company = await this.createCompany(givenSlug);
    const people = await this.createUsers(company.sandbox.id);
    let rows = 1 + people.all;
    for (const table of this.inOrder()) rows += await this.fill(table);
    await this.setAvatars();
    await this.beginLog();
    return {
      ...company,
      rows,
      people,
      leftOut: Object.fromEntries(
        leftOutTables.flatMap((name) => {
          const count = archive.manifest.tables[name] ?? 0;
          return count > 0 ? [[name, count]] : [];
        }),
      ),
    };
  }

  /**
   * The tables to fill, in order: files come first, as lists of rows refer to them, and last those of which triggers
   * keep numbers.
   */
  private inOrder(): CompanyTable[] {
    const others = this.tables.filter(({ name }) => !firstTables.includes(name) && !leftOutTables.includes(name));
    const isNumbered = ({ name }: CompanyTable) => name in sequences;
    const rows = inOrderOfReferences(others.filter((each) => !isNumbered(each)));
    const isFiles = ({ name }: CompanyTable) => name === 'files';
    return [...rows.filter(isFiles), ...rows.filter((each) => !isFiles(each)), ...others.filter(isNumbered)];
  }

  /** Creates the company and its sandbox. */
  private async createCompany(givenSlug?: string): Promise<Pick<ImportedCompany, 'id' | 'slug' | 'name' | 'sandbox'>> {
    const { connection } = this;
    await this.stage('companies');
    const found = await connection.read(
      `SELECT line->>'id', line->>'slug', line->>'name', line->>'sandbox_of_id' FROM imported`,
    );
    const [oldId, oldSlug, name, sandboxOf] = found[0] ?? [];
    if (found.length !== 1 || !oldId || !isUuid(oldId) || !oldSlug || !name || sandboxOf)
      throw new ArchiveError('companies.ndjson is not that of a company');
    const slug = parseSlug(givenSlug ?? oldSlug);
    const [taken] = await connection.read('SELECT slug FROM companies WHERE slug = ANY ($1)', [
      [slug, sandboxNames({ slug, name }).slug],
    ]);
    if (taken)
      throw new ArchiveError(`A company with the slug "${taken[0]}" already exists; choose another one with --slug`);
    // The store may still have to delete files of a company that was deleted.
    const [same] = await connection.read(
      'SELECT id::text FROM companies WHERE id = $1 UNION ALL SELECT company::text FROM file_removals WHERE company = $1',
      [oldId],
    );
    this.companyId = same ? uuidAt(new Date()) : oldId;
    if (same) this.ids.set(oldId, this.companyId);
    await this.insert('companies', { id: `'${this.companyId}'::uuid`, slug: `'${slug}'` });

    const sandbox = { id: uuidAt(new Date()), ...sandboxNames({ slug, name }) };
    await connection.read('INSERT INTO companies (id, slug, name, sandbox_of_id) VALUES ($1, $2, $3, $4)', [
      sandbox.id,
      sandbox.slug,
      sandbox.name,
      this.companyId,
    ]);
    await connection.read('INSERT INTO time_clock_settings (company_id, id) VALUES ($1, $2)', [
      sandbox.id,
      uuidAt(new Date()),
    ]);
    return { id: this.companyId, slug, name, sandbox };
  }

  /** Creates the users, in the company and its sandbox, and the people who are not known. */
  private async createUsers(sandboxId: string): Promise<ImportedCompany['people']> {
    const { connection } = this;
    const all = await this.stage('users');
    // Whoever is unproven and joins another company meanwhile waits.
    const unproven = await connection.read(`
      SELECT email, EXISTS (SELECT FROM users WHERE users.id = people.id)::text FROM people
      WHERE email_verified_at IS NULL AND email IN (SELECT lower_case(line->>'email') FROM imported) ORDER BY email FOR UPDATE`);
    const refused = unproven.find(([, isElsewhere]) => isElsewhere === 'true')?.[0];
    if (refused) throw new ArchiveError(unprovenElsewhere(refused));
    const known = await connection.read(`
      SELECT line->>'id', people.id::text FROM imported JOIN people ON people.email = lower_case(line->>'email')`);
    const occupied = await connection.read(`
      SELECT line->>'id', uuid_of_now()::text FROM imported JOIN people ON people.id = (line->>'id')::uuid
      WHERE lower_case(line->>'email') <> people.email
        AND NOT EXISTS (SELECT FROM people AS known WHERE known.email = lower_case(line->>'email'))`);
    for (const [from, to] of [...known, ...occupied]) if (from && to && from !== to) this.ids.set(from, to);
    if (this.ids.size > 0) await this.stage('users');
    await this.explain(
      'users',
      connection.read(`
        INSERT INTO people (id, email, full_name)
        SELECT (line->>'id')::uuid, lower_case(line->>'email'), line->>'full_name' FROM imported ON CONFLICT (email) DO NOTHING`),
    );
    // Their pictures are files, which come later.
    const ofOthers = 'CASE WHEN given.avatar_id IS NULL THEN given.avatar_url END';
    await this.insert('users', { avatar_id: 'NULL', avatar_url: ofOthers });
    await connection.read(
      `INSERT INTO users (company_id, id, email, full_name, role, avatar_url, deactivated_at)
       SELECT $1, id, email, full_name, role, avatar_url, deactivated_at FROM users WHERE company_id = $2`,
      [sandboxId, this.companyId],
    );
    return { all, known: known.length };
  }

  /** Fills a table. @returns the number of rows */
  private async fill(table: CompanyTable): Promise<number> {
    // Those that triggers have written about what was imported.
    if (table.name in sequences)
      await this.connection.read(`DELETE FROM ${table.name} WHERE company_id = $1`, [this.companyId]);
    const count = await this.stage(table.name);
    if (table.name === 'files') await this.insertFiles();
    else await this.insert(table.name, addressOf(table, this.files));
    return count;
  }

  /** Inserts the files that were read, and stores their bytes. */
  private async insertFiles(): Promise<void> {
    const withheld = await findWithheld(this.archive);
    await this.insert('files', valuesOfWithheld(withheld));
    await storeFiles(this.archive, this.files, this.companyId, withheld);
  }

  /** Gives people the pictures that they have sent to the service. */
  private async setAvatars(): Promise<void> {
    await this.stage('users');
    await this.connection.read(avatarsOf(this.files), [this.companyId]);
  }

  /** Begins the log of changes after what it has: for notifications, and for readers, who lack what was before. */
  private async beginLog(): Promise<void> {
    const { connection, companyId } = this;
    const [log] = await connection.read(`
      SELECT label, current_change_number()::text, (SELECT coalesce(max(seq), 0)::text FROM changes WHERE company_id = '${companyId}')
      FROM change_logs ORDER BY generation DESC LIMIT 1`);
    const [generation, xid, seq] = log ?? [];
    const position = encodePosition({ generation: generation ?? '', xid: xid ?? '0', seq: seq ?? '0' });
    await connection.read('INSERT INTO notification_positions (company_id, position) VALUES ($1, $2)', [
      companyId,
      position,
    ]);
    await connection.read('INSERT INTO change_horizons (company_id, xid, seq) VALUES ($1, $2, 0)', [companyId, xid]);
    await connection.read(`SELECT record_security_event('company_imported', '{}', $1, NULL, NULL, NULL, NULL)::text`, [
      companyId,
    ]);
  }

  /** Reads a table of the archive into the temporary table. @returns the number of rows */
  private async stage(table: string): Promise<number> {
    await this.connection.execute('TRUNCATE imported');
    let page: string[] = [];
    let [count, length] = [0, 0];
    const send = async () => {
      await this.explain(
        table,
        this.connection.read('INSERT INTO imported SELECT line::json FROM unnest($1::text[]) AS line', [page]),
      );
      [page, length] = [[], 0];
    };
    for await (const line of this.archive.rows(table)) {
      page.push(this.replaceIds(line));
      [count, length] = [count + 1, length + line.length];
      if (page.length === rowsAtOnce || length > lengthAtOnce) await send();
    }
    await send();
    return count;
  }

  /** Inserts what was read. @param replaced further values of columns, in SQL */
  private insert(name: string, replaced: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const values: Record<string, string> = {};
    for (const column of this.tables.find((each) => each.name === name)?.columns ?? []) {
      if (column.name === 'company_id') values[column.name] = `'${this.companyId}'::uuid`;
      else if (isExported(column)) values[column.name] = `given.${quoted(column.name)}`;
    }
    const sequence = sequences[name];
    Object.assign(values, replacedValues[name], replaced, sequence && { seq: `nextval('${sequence}')` });
    // The numbers of transactions are those of the other database.
    if (name === 'changes') delete values['xid'];
    const names = Object.keys(values).map(quoted).join(', ');
    const rows = `SELECT stored.* FROM imported CROSS JOIN LATERAL json_populate_record(NULL::${quoted(name)}, line) AS stored`;
    return this.explain(
      name,
      this.connection.read(
        `INSERT INTO ${quoted(name)} (${names}) SELECT ${Object.values(values).join(', ')}
         FROM (${rows}${sequence ? ' ORDER BY seq' : ''}) AS given`,
      ),
    );
  }

  private replaceIds(line: string): string {
    return this.ids.size === 0 ? line : line.replace(uuids, (id) => this.ids.get(id) ?? id);
  }

  /** Replaces the database's errors about rows by one about the archive. */
  private async explain<T>(table: string, done: Promise<T>): Promise<T> {
    try {
      return await done;
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
      const problem = problems[code.slice(0, 5)] ?? problems[code.slice(0, 2)];
      throw problem === undefined ? cause : new ArchiveError(`${fileOf(table)} ${problem}`, { cause });
    }
  }
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What is wrong with a file, by the database's codes, or their first two characters. */
const problems: Readonly<Record<string, string>> = {
  '23503': 'refers to rows that the archive does not have',
  '23505': 'has two rows where there can be one',
  '22': 'has a row that is not one of this table',
  '23': 'has a row that is not one of this table',
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
