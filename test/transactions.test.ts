import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { type Actor, runAs, wholeCompany } from '../src/database/index.ts';
import { publicError } from '../src/errors.ts';
import { testDatabase } from './support/database.ts';

const statements: string[] = [];
const database = await testDatabase({ onQuery: (sql) => statements.push(sql) });
afterAll(() => database.close());

const { prisma } = database;
const writer = database.writerOf();
let companyId: string;
beforeEach(async () => {
  ({ id: companyId } = await prisma.company.create({ data: { name: 'Acme', slug: randomUUID() } }));
  statements.length = 0;
});

const add = (name: string, isLast = false) => writer.create('Paint', { companyId, name }, { isLast });
const addByPrisma = (name: string) => prisma.paint.create({ data: { companyId, name } });
const paints = async () =>
  (await database.readerOf(wholeCompany(companyId)).findMany('Paint', { orderBy: { name: 'asc' } })).map(
    ({ name }) => name,
  );
const fail = () => prisma.$queryRaw`SELECT 1 / 0`;

test('commits what the writer and Prisma have written, and they see each other', async () => {
  await database.transaction(async () => {
    await add('one');
    expect(await prisma.paint.count({ where: { companyId } })).toBe(1);
    await addByPrisma('two');
    expect(await paints()).toEqual(['one', 'two']);
  });
  expect(await paints()).toEqual(['one', 'two']);
});

test('rolls all back when the work throws', async () => {
  const work = database.transaction(async () => {
    await add('one');
    await addByPrisma('two');
    throw new Error('Changed my mind.');
  });
  await expect(work).rejects.toThrow('Changed my mind.');
  expect(await paints()).toEqual([]);
});

test('without statements uses no connection', async () => {
  expect(await database.transaction(async () => 1)).toBe(1);
  expect(statements).toEqual([]);
});

test('of a single statement sends no other statements', async () => {
  await database.transaction(() => add('one', true));
  expect(statements).toEqual([expect.stringContaining('INSERT INTO "paints"')]);
  expect(await paints()).toEqual(['one']);
});

test('of a single statement names its writer, and later work on its connection does not', async () => {
  const actor: Actor = { kind: 'session', id: "it's mine", user_id: randomUUID() };
  const by = (work: () => Promise<unknown>) => runAs(actor, () => database.transaction(work));
  const person = await prisma.person.create({ data: { fullName: 'Ann', email: `${randomUUID()}@example.com` } });
  const userId = person.id;
  const user = { companyId, id: userId, fullName: 'Ann', email: person.email };
  await writer.create('User', user);
  statements.length = 0;

  const id = randomUUID();
  const activity = { create: [{ action: 'CREATED', userId }] };
  const request = { companyId, id, title: 'Lamp', createdBy: userId, activity };
  await by(() => writer.create('ServiceRequest', request, { isLast: true }));
  const key = { companyId, id };
  await by(() => writer.update('ServiceRequest', key, { title: 'Light' }, { isLast: true }));
  await by(() => writer.delete('ServiceRequest', key, { isLast: true }));
  await by(() => writer.createMany('Paint', [{ companyId, name: 'one' }], { isLast: true }));
  expect(statements).toEqual(['INSERT', 'UPDATE', 'DELETE', 'INSERT'].map((verb) => expect.stringContaining(verb)));

  // More at a time than there are connections.
  await Promise.all(Array.from({ length: 8 }, () => add('two')));
  const changes = await prisma.change.findMany({ where: { companyId }, orderBy: { seq: 'asc' } });
  const namesOf = (kept: typeof changes) => kept.map(({ tableName, action }) => `${action} ${tableName}`).sort();
  const named = changes.filter((change) => change.actor !== null);
  for (const change of named) expect(change.actor).toEqual(actor);
  expect(namesOf(named)).toEqual([
    'CREATE activity_entries',
    'CREATE paints',
    'CREATE service_requests',
    'DELETE activity_entries',
    'DELETE service_requests',
    'UPDATE service_requests',
  ]);
  expect(namesOf(changes.filter((change) => change.actor === null))).toEqual([
    'CREATE companies',
    ...Array<string>(8).fill('CREATE paints'),
    'CREATE users',
  ]);
});

test('ends with its last statement', async () => {
  await database.transaction(async () => {
    await add('one');
    await add('two', true);
    await expect(add('three')).rejects.toThrow('The transaction has ended.');
  });
  expect(statements.filter((sql) => !sql.startsWith('INSERT'))).toEqual(['BEGIN', 'COMMIT']);
  expect(await paints()).toEqual(['one', 'two']);
});

test('is rolled back when its last statement fails', async () => {
  const work = database.transaction(async () => {
    await add('one');
    await writer.create('Paint', { companyId: randomUUID(), name: 'two' }, { isLast: true });
  });
  await expect(work).rejects.toMatchObject({ code: '23503' });
  expect(await paints()).toEqual([]);
});

test('inside another one is a savepoint: what fails in it is rolled back alone', async () => {
  await database.transaction(async () => {
    await add('one');
    const inner = database.transaction(async () => {
      await add('two', true);
      await fail();
    });
    await expect(inner).rejects.toThrow();
    await database.transaction(() => add('three', true));
    await database.transaction(() => database.transaction(() => addByPrisma('four')));
  });
  expect(await paints()).toEqual(['four', 'one', 'three']);
});

test('without savepoints has none, and what fails in a part of it fails all', async () => {
  const hasSavepoints = false;
  await database.transaction(() => database.transaction(() => addByPrisma('one')), { hasSavepoints });
  expect(statements.filter((sql) => /SAVEPOINT|RELEASE|ROLLBACK/.test(sql))).toEqual([]);
  const work = database.transaction(
    async () => {
      await add('two');
      const inner = database.transaction(async () => {
        await add('three');
        throw new Error('Changed my mind.');
      });
      await expect(inner).rejects.toThrow('Changed my mind.');
    },
    { hasSavepoints },
  );
  await expect(work).rejects.toThrow('A part of the transaction has failed.');
  expect(await paints()).toEqual(['one']);
});

test('is not committed in part when the work ignores a failed statement', async () => {
  const work = database.transaction(async () => {
    await add('one');
    await fail().catch(() => {});
  });
  await expect(work).rejects.toThrow('A statement of the transaction has failed.');
  expect(await paints()).toEqual([]);
});

test('that takes too long is rolled back, and the client can try again', async () => {
  const work = database.transaction(
    async () => {
      await add('one');
      await sleep(400);
      await database.transaction(() => add('two'));
    },
    { timeoutMs: 300 },
  );
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(publicError(error).code).toBe('SERVICE_UNAVAILABLE');
  expect(await paints()).toEqual([]);
});

test('that takes too long without further statements does not count as committed', async () => {
  const work = database.transaction(
    async () => {
      await add('one');
      await sleep(400);
    },
    { timeoutMs: 300 },
  );
  await expect(work).rejects.toThrow('The transaction took too long.');
  expect(await paints()).toEqual([]);
});

test('of other work at the same time is not part of it', async () => {
  let isAdded = () => {};
  const added = new Promise<void>((resolve) => (isAdded = resolve));
  const inside = database.transaction(async () => {
    await add('one');
    isAdded();
    await sleep(100);
    throw new Error('Changed my mind.');
  });
  await added;
  await Promise.all([addByPrisma('two'), add('three'), expect(inside).rejects.toThrow('Changed my mind.')]);
  expect(await paints()).toEqual(['three', 'two']);
});
