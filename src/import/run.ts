// Takes a file page by page: each page is one transaction, which a dry run takes back.

import type { Scope } from '../auth/scopes.ts';
import { type Context, inTransaction, inTransactionIf } from '../context.ts';
import { findRefusal } from '../resource/index.ts';
import { FileKeys } from './duplicates.ts';
import { type PageResult, writePlanned } from './page.ts';
import type { PreparedImport } from './prepare.ts';
import { cellLength, readRecords } from './records.ts';
import { planPage } from './rows.ts';
import type { FileRow } from './table.ts';
import type { ImportTarget } from './target.ts';

/** How many rows are written in one transaction. */
export const pageRows = 500;
/** About how many characters of rows are. */
const pageLength = 1_000_000;

/** What became of a page, and how far the file is. */
export interface PageReport extends PageResult {
  /** The rows of the file up to the end of this page. */
  readonly done: number;
}

/** How the pages of a file are taken. */
export interface RunOptions {
  readonly dryRun: boolean;
  /** How many rows an earlier attempt has done. */
  readonly from?: number;
  /** The context of each page: its person may have lost a role meanwhile. @throws Error to end the import */
  readonly context: () => Promise<Context>;
  /** Notes a page, in its transaction, so that neither is committed without the other. */
  readonly onPage?: (report: PageReport, context: Context) => Promise<void>;
}

/**
 * Writes the rows of a file page by page, or tries to. Rows that are refused are reported, and the others of their page
 * are written.
 */
export async function* runImport(prepared: PreparedImport, options: RunOptions): AsyncGenerator<PageReport> {
  const keys = new FileKeys(prepared);
  let done = 0;
  for await (const rows of pagesOf(readRecords(prepared.table, prepared.map, prepared.target))) {
    const isDone = done < (options.from ?? 0);
    done += rows.length;
    const context = await options.context();
    assertMayImport(context, prepared.target);
    const planned = keys.take(await planPage(rows, prepared, context));
    // An earlier attempt has written it; only its keys are needed.
    if (isDone) continue;
    const work = async (): Promise<PageReport> => {
      const result = await writePlanned(planned.writes, prepared, context);
      const report = { ...result, refused: inOrder([...planned.refused, ...result.refused]), done };
      if (!options.dryRun) await options.onPage?.(report, context);
      return report;
    };
    const report = await (options.dryRun ? inTransactionIf(context, () => false, work) : inTransaction(context, work));
    if (options.dryRun) await options.onPage?.(report, context);
    yield report;
  }
}

/** @throws ServiceError INSUFFICIENT_SCOPE where scopes or role forbid it, whatever the rows are */
export function assertMayImport({ caller }: Context, { resource, mode }: ImportTarget): void {
  const { type, policies, scope } = resource;
  const actions = [
    ...(mode === 'update' ? [] : ['create' as const]),
    ...(mode === 'insert' ? [] : ['update' as const]),
  ];
  // A scope group of rows that are written has both scopes.
  const access = `${scope}:write` as Scope;
  for (const action of actions) {
    const refusal = findRefusal(caller, { access, action, type, policies });
    if (refusal) throw refusal;
  }
}

const inOrder = (refused: PageResult['refused']) => refused.toSorted((one, other) => one.row.line - other.row.line);

/** A row is in one page with all of its items, which count as rows do. */
async function* pagesOf(rows: AsyncGenerator<FileRow>): AsyncGenerator<FileRow[]> {
  let [page, count, length]: [FileRow[], number, number] = [[], 0, 0];
  for await (const row of rows) {
    page.push(row);
    for (const { cells } of [row, ...(row.further ?? [])]) {
      count += 1;
      for (const cell of cells) {
        length += cellLength(cell);
        if (cell && 'json' in cell && Array.isArray(cell.json)) count += cell.json.length;
      }
    }
    if (count < pageRows && length < pageLength) continue;
    yield page;
    [page, count, length] = [[], 0, 0];
  }
  if (page.length > 0) yield page;
}
