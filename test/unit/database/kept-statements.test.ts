// Statements of plans: compiled once for all values, and gone when they are too many or their plan is.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, expect, jest, test } from '@jest/globals';
import facts from '../../../src/database/generated/facts.ts';
import {
  compileFind,
  compileFindWithTotal,
  compileIds,
  type FindArgs,
  type Row,
} from '../../../src/database/read/find.ts';
import { KeptStatements } from '../../../src/database/read/kept-statements.ts';
import { type Access, wholeCompany } from '../../../src/database/read/row-access.ts';
import { modelOf } from '../../../src/database/read/schema-models.ts';
import { RandomReads, readModels } from '../../support/random-reads.ts';

const access = wholeCompany('c1');
const compile = jest.fn(compileFind);
let kept: KeptStatements;
beforeEach(() => {
  compile.mockClear();
  kept = new KeptStatements();
});

const countedRows = { kind: 'counted rows', compile: compileFindWithTotal };

/** Finds a statement of a plan. */
const find = (plan: object, args: FindArgs, by: Access = access) =>
  kept.find(plan, by, 'ServiceRequest', { select: { id: true }, ...args }, { kind: 'rows', compile });

test('requests with other values have one statement, with their own values', () => {
  const plan = {};
  const args = (title: string, days: number, status: string[]): FindArgs => ({
    where: {
      AND: [
        { title: { startsWith: title, mode: 'insensitive' } },
        { createdAt: { lt: new Date(Date.UTC(2026, 0, days)) }, status: { in: status } },
        { OR: [{ assignee: { is: { fullName: title } } }, { comments: { some: { comment: { not: title } } } }] },
      ],
    },
    orderBy: [{ createdAt: 'desc' }],
    take: 5,
    skip: days,
  });
  const requests: [Access, FindArgs][] = [
    [access, args('a', 1, ['PENDING'])],
    [wholeCompany('c2'), args('b', 2, [])],
    [access, args('b', 3, ['PENDING', 'COMPLETED', 'IN_PROGRESS'])],
  ];
  const found = requests.map(([by, given]) => find(plan, given, by));
  expect(compile).toHaveBeenCalledTimes(1);
  for (const [n, [by, given]] of requests.entries()) {
    const { text, values } = compileFind(by, 'ServiceRequest', { select: { id: true }, ...given });
    expect(found[n]).toMatchObject({ text, values });
    // Of one object, the text was not made again.
    expect(found[n]?.tables).toBe(found[0]?.tables);
  }
  expect(found[1]?.values).toContain('c2');
  expect(found[2]?.values).toContainEqual(['pending', 'completed', 'in-progress']);
});

const two = (name: string, one: FindArgs, other: FindArgs): [string, FindArgs, FindArgs] => [name, one, other];
const matching = (where: Row): FindArgs => ({ where });

test.each([
  two('null', matching({ title: 'a' }), matching({ title: null })),
  two('not null', matching({ title: { not: 'a' } }), matching({ title: { not: null } })),
  two('the absence of a condition', matching({ title: 'a' }), matching({ title: undefined })),
  two(
    'the absence of an operand',
    matching({ comments: { none: { comment: 'a' } } }),
    matching({ comments: { none: undefined } }),
  ),
  two('another operator', matching({ title: { lt: 'a' } }), matching({ title: { gt: 'a' } })),
  two('another column', matching({ title: 'a' }), matching({ description: 'a' })),
  two(
    'a short text that is searched',
    matching({ title: { contains: 'abc', mode: 'insensitive' } }),
    matching({ title: { contains: 'ab', mode: 'insensitive' } }),
  ),
  two('case', matching({ title: { contains: 'abc' } }), matching({ title: { contains: 'abc', mode: 'insensitive' } })),
  two('a further alternative', matching({ OR: [{ title: 'a' }] }), matching({ OR: [{ title: 'a' }, { title: 'b' }] })),
  two('no related row', matching({ assignee: { is: null } }), matching({ assignee: { is: { fullName: 'a' } } })),
  two('another order', { orderBy: [{ createdAt: 'desc' }] }, { orderBy: [{ createdAt: 'asc' }] }),
  two('where nulls come', { orderBy: [{ title: 'asc' }] }, { orderBy: [{ title: { sort: 'asc', nulls: 'last' } }] }),
  two('the size of the page', { take: 5 }, { take: 6 }),
  two('no offset', { skip: 3 }, { skip: 0 }),
  two('a lock', {}, { lock: true }),
  two('other columns', {}, { select: { title: true } }),
])('%s is another statement', (_, one, other) => {
  const plan = {};
  const texts = [one, other, one].map((args) => find(plan, args).text);
  expect(compile).toHaveBeenCalledTimes(2);
  expect(texts[1]).not.toBe(texts[0]);
  expect(texts[2]).toBe(texts[0]);
  expect(texts).toEqual(
    [one, other, one].map((args) => compileFind(access, 'ServiceRequest', { select: { id: true }, ...args }).text),
  );
});

test('each plan has its own statements, and a total is another', () => {
  const plan = {};
  find(plan, {});
  find({}, {});
  const counted = kept.find(plan, access, 'ServiceRequest', {}, countedRows, { title: 'a' });
  expect(compile).toHaveBeenCalledTimes(2);
  expect(counted.text).toContain('count(*)');
  expect(counted.values).toContain('a');
});

test('the row filters of a caller are part of the shape, with their values apart', () => {
  const plan = {};
  const of = (userId: string): Access => ({
    companyId: 'c1',
    filterOf: (model) => (model === 'ServiceRequest' ? { OR: [{ assignedTo: userId }, { title: 'all' }] } : undefined),
  });
  const [all, ann, bob, again] = [access, of('ann'), of('bob'), access].map((by) => find(plan, {}, by));
  expect(compile).toHaveBeenCalledTimes(2);
  expect(ann?.values).toEqual(['c1', 'ann', 'all']);
  expect(bob?.values).toEqual(['c1', 'bob', 'all']);
  expect(again?.text).toBe(all?.text);
  expect(ann?.text).not.toBe(all?.text);
  expect(bob?.text).toBe(ann?.text);
});

test('lists inside rows have their conditions, pages and totals', () => {
  const json: FindArgs['json'] = [
    { key: 'comments', list: { relation: 'comments', page: 0, members: [{ key: 'n', total: true }] } },
  ];
  const plan = {};
  const page = (comment: string, isLater = false): FindArgs => {
    const where = { comment };
    return { json, pages: [{ args: { where, take: 3, skip: isLater ? 4 : undefined }, counted: where, isLater }] };
  };
  const [one, other, later] = [page('a'), page('b'), page('c', true)].map((args) => find(plan, args));
  expect(compile).toHaveBeenCalledTimes(2);
  expect(other?.text).toBe(one?.text);
  expect(later?.text).not.toBe(one?.text);
  for (const [found, args] of [
    [one, page('a')],
    [other, page('b')],
    [later, page('c', true)],
  ] as const)
    expect(found).toMatchObject({
      values: compileFind(access, 'ServiceRequest', { select: { id: true }, ...args }).values,
    });
});

/** A value of each type, of the first or second row of samples. */
const sample = (type: string, n: number): unknown => {
  const values: Record<string, unknown> = {
    Int: n,
    BigInt: n,
    Boolean: n === 0,
    Decimal: `${n}.5`,
    Uuid: `01890000-0000-7000-8000-00000000000${n}`,
    String: `text ${n} of some length`,
    Date: new Date(Date.UTC(2026, 0, n + 1)),
    DateTime: new Date(Date.UTC(2026, 0, n + 1, 12)),
  };
  return values[type];
};

/** Callers whose statements differ: with all rows, in several companies, and with row filters. */
const callers: readonly Access[] = [
  access,
  { ...wholeCompany('c2'), memberId: 'm1' },
  { companyId: 'c3', filterOf: (name) => (/^(User|Building|Comment)$/.test(name) ? { id: 'u3' } : undefined) },
];

test.each(readModels)('random reads of %s by one plan are those that are compiled for each', (model) => {
  const samplesOf = (first: number) =>
    Object.fromEntries(
      Object.entries(facts.models).map(([name, { columns }]) => [
        name,
        [0, 1, 2].map((n) =>
          Object.fromEntries(Object.entries(columns).map(([column, { type }]) => [column, sample(type, first + n)])),
        ),
      ]),
    );
  // The same reads, with other values.
  const reads = [0, 4].map((first) => new RandomReads(7, samplesOf(first)));
  const plan = {};
  for (let n = 0; n < 20; n++)
    for (const random of reads) {
      const [args, counted] = [random.args(model), random.where(model, 2)];
      for (const by of callers) {
        const found = kept.find(plan, by, model, args, countedRows, counted);
        const { text, values } = compileFindWithTotal(by, model, args, counted);
        expect({ args, text: found.text, values: found.values }).toEqual({ args, text, values });
        if (!modelOf(model).fields.id) continue;
        const ids = kept.find(modelOf(model), by, model, args, { kind: 'ids', compile: compileIds });
        const compiled = compileIds(by, model, args);
        expect([ids.text, ids.values]).toEqual([compiled.text, compiled.values]);
      }
    }
});

test('100,000 shapes take no more than the bound, and the least recently used go', () => {
  const most = 500_000;
  kept = new KeptStatements(most);
  const [plan, often] = [{}, {}];
  const first = find(often, {});
  for (let take = 1; take <= 100_000; take++) {
    find(plan, { take });
    if (take % 100 === 0) find(often, {});
    if (kept.size > most) throw new Error(`It has ${kept.size} bytes.`);
  }
  expect(kept.size).toBeGreaterThan(most * 0.9);
  compile.mockClear();
  expect(find(often, {}).text).toBe(first.text);
  find(plan, { take: 100_000 });
  expect(compile).not.toHaveBeenCalled();
  find(plan, { take: 1 });
  expect(compile).toHaveBeenCalledTimes(1);
});

test('statements go with their plan', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const one = () => new WeakRef(find({}, {}).tables);
  const plan = {};
  const [gone, stays] = [one(), new WeakRef(find(plan, {}).tables)];
  // What the mock has returned.
  compile.mockReset();
  // A weak reference holds until the turn has ended.
  await sleep(1);
  collectGarbage();
  expect(gone.deref()).toBeUndefined();
  expect(stays.deref()).toBe(find(plan, {}).tables);
});
