import { afterAll, expect, test } from '@jest/globals';
import { killAll, ServiceProcess } from './support/process.ts';
import { onServer, urlOf } from './support/template.ts';

afterAll(killAll);

const onPostgresql = process.env.TEST_DATABASE_URL ? test : test.skip;

onPostgresql.each(['LATIN1', 'SQL_ASCII'])('a database in %s is refused, and left empty', async (encoding) => {
  const name = `premises_${encoding.toLowerCase()}_${process.pid}`;
  await onServer(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
  const service = await ServiceProcess.start({ DATABASE_URL: urlOf(name) });
  expect(await service.ended).toBe(1);
  expect(service.stderr).toBe(
    `The database of DATABASE_URL has the encoding ${encoding}, and Premises needs UTF8. Create another one with CREATE DATABASE premises ENCODING 'UTF8' TEMPLATE template0.\n`,
  );
  const { rows } = await onServer(`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`, urlOf(name));
  expect(rows).toEqual([]);
  await onServer(`DROP DATABASE ${name}`);
});
