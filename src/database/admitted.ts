import type pg from 'pg';
import { Admission, type Callers, type Claim } from './admission.ts';
import facts from './generated/facts.ts';
import type { WriteMarker } from './replicas/marker.ts';
import { giveBack } from './request-client.ts';
import { currentRequester, currentWork, runWithinBudget } from './requester.ts';

/** A connection in use, and what gives it back. */
export interface Connection {
  readonly client: pg.ClientBase;
  readonly release: () => void;
}

/** A pool of connections whose statements and transactions wait for admission. */
export class AdmittedPool {
  readonly admission: Admission;
  /** The number of statements since the start. */
  statements = 0;

  /**
   * @param callers what callers use of this and other pools
   * @param onQuery called with every statement
   * @param marker marks writes, if there are replicas
   */
  constructor(
    readonly connections: pg.Pool,
    callers: Callers,
    private readonly onQuery?: (sql: string) => void,
    readonly marker?: WriteMarker,
  ) {
    this.admission = new Admission(connections.options.max, callers);
  }

  /**
   * Runs a statement when it is admitted. Inside a transaction it is already.
   * @param tables those that it names
   */
  async run<T>(sql: string, work: () => Promise<T>, tables: readonly string[] = tablesOf(sql)): Promise<T> {
    if (currentWork.getStore()?.transaction) return work();
    const claim = claimOf(tables);
    const release = this.admission.admitNow(claim) ?? (await this.admission.admit(claim));
    try {
      return await runWithinBudget(() => {
        this.onStatement(sql);
        return work();
      });
    } finally {
      release();
    }
  }

  /** Waits for a connection for a transaction. @param sql its first statement */
  async connect(sql: string): Promise<Connection> {
    const release = await this.admission.admit(claimOf(tablesOf(sql), true));
    try {
      const client = await this.connections.connect();
      const end = () => {
        giveBack(client);
        release();
      };
      return { client, release: end };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Counts a statement. */
  onStatement(sql: string): void {
    this.statements += 1;
    this.onQuery?.(sql);
  }
}

/** The claim of a statement that names these tables, or that begins a transaction; none of the service's own work. */
function claimOf(named: readonly string[], isTransaction = false): Claim | undefined {
  const requester = currentRequester();
  if (!requester) return undefined;
  const { model, company, caller, signal } = requester;
  const table = model === undefined ? undefined : models[model]?.table;
  const tables = table === undefined || named.includes(table) ? named : [table, ...named];
  return { company, caller, signal, isTransaction, tables };
}

const models: Readonly<Record<string, { readonly table: string }>> = facts.models;

const tableNames = new RegExp(
  `\\b(${Object.values(models)
    .map(({ table }) => table)
    .join('|')})\\b`,
  'g',
);

/** The tables of known statements; a service has a few hundred statements. */
const known = new Map<string, readonly string[]>();
const maxKnown = 1000;

/** The tables that a statement names. Columns of the same name count too, which is harmless. */
function tablesOf(sql: string): readonly string[] {
  let tables = known.get(sql);
  if (!tables) {
    tables = [...new Set(sql.match(tableNames))];
    if (known.size < maxKnown) known.set(sql, tables);
  }
  return tables;
}
