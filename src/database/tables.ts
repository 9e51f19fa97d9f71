import facts from './generated/facts.ts';

/** The name of a model's table. */
export type TableName = (typeof facts.models)[keyof typeof facts.models]['table'];

const tables = Object.values<{ readonly table: string; readonly columns: object }>(facts.models);

/** The column of a table that has the ID of the company: that of the company itself is `id`. */
export const companyColumn = (table: TableName): 'company_id' | 'id' =>
  tables.some((model) => model.table === table && 'companyId' in model.columns) ? 'company_id' : 'id';
