import { textOrder } from '../fields/index.ts';
import type { Database } from './database.ts';
import { OpenError } from './open-error.ts';

/** @throws OpenError if the database stores text in another encoding than UTF-8, which lacks most characters */
export async function assertEncoding(database: Pick<Database, 'query'>): Promise<void> {
  const { rows } = await database.query({ text: `SELECT current_setting('server_encoding') AS encoding` });
  const encoding = String(rows[0]?.['encoding']);
  if (encoding === 'UTF8') return;
  throw new OpenError(
    `The database of DATABASE_URL has the encoding ${encoding}, and Premises needs UTF8. Create another one with ` +
      `CREATE DATABASE premises ENCODING 'UTF8' TEMPLATE template0.`,
  );
}

/** @throws OpenError if the server cannot sort text by `textOrder` */
export async function assertTextOrder({ query }: Pick<Database, 'query'>): Promise<void> {
  const { rows } = await query({ text: 'SELECT FROM pg_collation WHERE collname = $1', values: [textOrder] });
  if (rows.length > 0) return;
  throw new OpenError(
    `The PostgreSQL of DATABASE_URL has no collation "${textOrder}", by which Premises sorts text, since it was built ` +
      'without ICU. Use one that was built with it, as those of the usual distributions and providers are.',
  );
}
