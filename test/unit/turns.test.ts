// Who has the next turn.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { CompanyTurns, type TurnEnd } from '../../src/background/company-turns.ts';
import { deletePages } from '../../src/database/delete-pages.ts';
import { Turns } from '../../src/limits/turns.ts';

/** Turns of companies that each have so many pages; `slow` has one that ends when it is told to. */
function readPages(pages: Record<string, number>, lanes = 1) {
  const order: string[] = [];
  const errors: string[] = [];
  let finish = () => {};
  const turn = async (id: string): Promise<TurnEnd> => {
    order.push(id);
    if (id === 'slow') await new Promise<void>((resolve) => (finish = resolve));
    if (id === 'broken') throw new Error('broken');
    await sleep(1);
    pages[id] = (pages[id] ?? 0) - 1;
    return pages[id] > 0 ? 'more' : 'done';
  };
  const turns = new CompanyTurns(lanes, turn, (_error, id) => errors.push(id));
  return { turns, order, errors, finish: () => finish() };
}

test('a company with much to do has one turn between those of the others', async () => {
  const { turns, order } = readPages({ large: 4, small: 1, medium: 2 });
  turns.add(['large', 'small', 'medium']);
  await turns.idle();
  expect(order).toEqual(['large', 'small', 'medium', 'large', 'medium', 'large', 'large']);
});

test('a company whose turn takes long leaves the other lane to the others', async () => {
  const { turns, order, finish } = readPages({ slow: 1, small: 1, other: 1 }, 2);
  turns.add(['slow', 'small', 'other']);
  await sleep(30);
  expect(order).toEqual(['slow', 'small', 'other']);
  finish();
  await turns.idle();
});

test('what is added during the turn of a company is another turn, as that one may not have seen it', async () => {
  const { turns, order, finish } = readPages({ slow: 1 }, 2);
  turns.add(['slow']);
  turns.add(['slow']);
  await sleep(5);
  expect(order).toEqual(['slow']);
  finish();
  await sleep(5);
  expect(order).toEqual(['slow', 'slow']);
  finish();
  await turns.idle();
});

test('a turn that fails is repeated at the next look, and disturbs no other', async () => {
  const { turns, order, errors } = readPages({ small: 1 });
  turns.add(['broken', 'small']);
  await turns.idle();
  expect(order).toEqual(['broken', 'small']);
  turns.addDeferred();
  await turns.idle();
  expect([order.length, errors]).toEqual([3, ['broken', 'broken']]);
});

test('no turn begins after the end', async () => {
  const { turns, order } = readPages({ large: 9 });
  turns.add(['large']);
  await turns.stop();
  expect(order).toEqual(['large']);
});

test('clients that wait for slots get them in turn', async () => {
  const slots = new Turns(2);
  const order: string[] = [];
  const run = (client: string) =>
    slots.run(client, async () => {
      order.push(client);
      await sleep(1);
    });
  await Promise.all([...Array.from({ length: 5 }, () => run('many')), run('one'), run('two'), run('two')]);
  expect(order).toEqual(['many', 'many', 'many', 'one', 'two', 'many', 'two', 'many']);
});

test('a slot is free again when its work fails', async () => {
  const slots = new Turns(1);
  await expect(slots.run('one', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await slots.run('other', async () => 'done')).toBe('done');
});

test('rows are deleted a page at a time, until a page is not full or it is stopped', async () => {
  const sizes: number[] = [];
  let left = 2500;
  const deletePage = async (size: number) => {
    const count = Math.min(size, left);
    left -= count;
    sizes.push(count);
    return count;
  };
  await deletePages(deletePage);
  expect(sizes).toEqual([1000, 1000, 500]);
  left = 2500;
  await deletePages(deletePage, () => left < 2500);
  expect(left).toBe(1500);
});
