import { describe, expect, jest, test } from '@jest/globals';
import { Admission, Callers, type Claim } from '../../../src/database/admission.ts';

describe('admission to ten connections', () => {
  const size = 10;
  /** Counts the claims that are admitted at once. */
  async function admitted(admission: Admission, claims: readonly (Claim | undefined)[]): Promise<number> {
    let count = 0;
    for (const claim of claims)
      admission.admit(claim).then(
        () => (count += 1),
        () => {},
      );
    await new Promise(setImmediate);
    return count;
  }
  const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
  const claim = (company: string, caller: string, ...tables: string[]): Claim => ({ company, caller, tables });

  test.each<[what: string, count: number, claims: (Claim | undefined)[]]>([
    ['half of them for one company', 5, times(10, (n) => claim('a', `caller ${n}`))],
    ['three for one caller', 3, times(10, () => claim('a', 'ann'))],
    ['half of them for one table', 5, times(10, (n) => claim(`company ${n}`, `caller ${n}`, 'paints'))],
    ["half of a company's share for one table", 3, times(10, (n) => claim('a', `caller ${n}`, 'paints'))],
    ['two for one caller and table', 2, times(10, () => claim('a', 'ann', 'paints'))],
    ['all of them for the service itself', 10, times(20, () => undefined)],
  ])('admits %s', async (_, count, claims) => {
    expect(await admitted(new Admission(size), claims)).toBe(count);
  });

  test('a read does not wait for all the transactions of its caller that wait for the same table', async () => {
    const admission = new Admission(size);
    const transaction = { ...claim('a', 'ann', 'paints'), isTransaction: true };
    const running = await Promise.all([admission.admit(transaction), admission.admit(transaction)]);
    const order: string[] = [];
    const wait = (name: string, of: Claim) =>
      void admission.admit(of).then((release) => {
        order.push(name);
        running.push(release);
      });
    for (const name of ['first', 'second', 'third']) wait(name, transaction);
    wait('read', claim('a', 'ann', 'paints'));
    for (let n = 0; n < 4; n++) {
      running[n]?.();
      await new Promise(setImmediate);
    }
    expect(order).toEqual(['read', 'first', 'second', 'third']);
  });

  test('always leaves connections for other companies and tables', async () => {
    const admission = new Admission(size);
    const counts: number[] = [];
    for (const company of ['a', 'b', 'c', 'd'])
      counts.push(
        await admitted(
          admission,
          times(10, (n) => claim(company, `${company} ${n}`)),
        ),
      );
    expect(counts).toEqual([5, 3, 1, 1]);
    const tables = new Admission(size);
    expect(
      await admitted(
        tables,
        times(10, (n) => claim(`${n}`, `${n}`, 'paints')),
      ),
    ).toBe(5);
    expect(
      await admitted(
        tables,
        times(10, (n) => claim(`${n}`, `${n}`, 'leases', 'users')),
      ),
    ).toBe(3);
    expect(
      await admitted(
        tables,
        times(10, (n) => claim(`${n}`, `${n}`, 'users')),
      ),
    ).toBe(0);
    expect(
      await admitted(
        tables,
        times(10, (n) => claim(`${n}`, `${n}`, 'notes')),
      ),
    ).toBe(1);
  });

  test('admits the company with the fewest connections first, then the longest waiting caller', async () => {
    const admission = new Admission(2);
    const order: string[] = [];
    const ask = (company: string, name: string) =>
      admission.admit(claim(company, name)).then((release) => (order.push(name), release));
    const [first, second] = [await ask('a', 'a1'), await ask('b', 'b1')];
    const waiting = [ask('a', 'a2'), ask('a', 'a3'), ask('c', 'c1')];
    second();
    (await waiting[2])?.();
    first();
    (await waiting[0])?.();
    (await waiting[1])?.();
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  test('lets companies take turns, however many statements of one wait', async () => {
    const admission = new Admission(1);
    const order: string[] = [];
    const ask = async (company: string, name: string) => {
      const release = await admission.admit(claim(company, name));
      order.push(name);
      setImmediate(release);
    };
    const many = times(12, (n) => ask('a', `a${n}`));
    await Promise.all([...many, ask('b', 'b0').then(() => ask('b', 'b1')), ask('c', 'c0')]);
    expect(order.slice(0, 6)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2']);
  });

  test('counts the statements of a caller in all pools together, and wakes those that wait in another', async () => {
    const callers = new Callers();
    const [one, other] = [new Admission(size, callers), new Admission(size, callers)];
    const held = await Promise.all([one.admit(claim('a', 'ann')), one.admit(claim('a', 'ann'))]);
    let count = 0;
    for (let n = 0; n < 3; n++) void other.admit(claim('a', 'ann')).then(() => (count += 1));
    const counts: number[] = [];
    for (const release of [undefined, ...held]) {
      release?.();
      await new Promise(setImmediate);
      counts.push(count);
    }
    expect(counts).toEqual([1, 2, 3]);
    expect(await admitted(one, [claim('a', 'ann'), claim('b', 'ben')])).toBe(1);
  });

  test('is rejected after five seconds, or at once when the request is aborted', async () => {
    jest.useFakeTimers();
    try {
      const admission = new Admission(1);
      const release = await admission.admit(claim('a', 'ann'));
      const gone = new AbortController();
      const abandoned = admission.admit({ ...claim('a', 'ben'), signal: gone.signal });
      gone.abort();
      await expect(abandoned).rejects.toMatchObject({ code: 'P2024' });
      await expect(admission.admit({ ...claim('a', 'ben'), signal: gone.signal })).rejects.toMatchObject({
        code: 'P2024',
      });
      const late = admission.admit(claim('a', 'cleo'));
      jest.advanceTimersByTime(5000);
      await expect(late).rejects.toMatchObject({ code: 'P2024' });
      release();
      (await admission.admit(claim('a', 'dora')))();
    } finally {
      jest.useRealTimers();
    }
  });

  test('counts waits, and those that got no connection', async () => {
    const admission = new Admission(1);
    const release = await admission.admit(claim('a', 'ann'));
    const second = admission.admit(claim('b', 'ben'));
    const deadline = new AbortController();
    const third = admission.admit({ ...claim('c', 'cleo'), signal: deadline.signal });
    expect([admission.waiting, admission.counts.waits]).toEqual([2, 0]);
    deadline.abort();
    await expect(third).rejects.toMatchObject({ code: 'P2024' });
    release();
    (await second)();
    expect(admission.waiting).toBe(0);
    expect(admission.counts).toEqual({ waits: 2, waitedMs: expect.any(Number), refusals: 1 });
    expect(admission.counts.waitedMs).toBeGreaterThan(0);
  });
});
