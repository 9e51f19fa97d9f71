import { describe, expect, test } from '@jest/globals';
import { chooseWriter, type Role } from '../../../src/database/hosts.ts';
import { splitHosts } from '../../../src/formats.ts';

describe('the hosts of a URL', () => {
  test.each([
    [
      'postgresql://premises@one:5432,two:5433/db',
      ['postgresql://premises@one:5432/db', 'postgresql://premises@two:5433/db'],
    ],
    // libpq's default port is that of each host without one.
    ['postgresql://one,two:5433', ['postgresql://one', 'postgresql://two:5433']],
    [
      'postgres://ann:p%40ss,word@[::1]:5432,10.0.0.2/db?sslmode=require&application_name=a,b',
      [
        'postgres://ann:p%40ss,word@[::1]:5432/db?sslmode=require&application_name=a,b',
        'postgres://ann:p%40ss,word@10.0.0.2/db?sslmode=require&application_name=a,b',
      ],
    ],
    ['postgresql://premises@one/db?options=-c%20a=b,c', ['postgresql://premises@one/db?options=-c%20a=b,c']],
    ['postgresql:///premises?host=/run/postgresql', ['postgresql:///premises?host=/run/postgresql']],
  ])('%s', (url, expected) => {
    expect(splitHosts(url)).toEqual(expected);
  });
});

describe('the server that writes', () => {
  const on = (timeline: number, writes = true, system = 'a'): Role => ({ writes, timeline, system });
  const known = (timeline: number) => new Map([['a', timeline]]);
  test.each<[string, readonly (Role | undefined)[], ReadonlyMap<string, number>, number | undefined]>([
    ['is the one that is no standby', [on(1, false), on(1)], known(1), 1],
    ['is none while all are standbys or gone', [on(1, false), undefined], known(1), undefined],
    ['is the one on the latest timeline', [on(1), on(2)], known(2), 1],
    ['is none on an earlier timeline than is known', [on(1), undefined], known(2), undefined],
    ['is none on an earlier timeline than that of a standby', [on(1), on(2, false)], known(2), undefined],
    ['is one of another system, whose timelines are its own', [on(1, true, 'b'), undefined], known(5), 0],
    ['stays where two addresses lead to it', [on(1), on(1)], known(1), 1],
  ])('%s', (_what, roles, timelines, expected) => {
    expect(chooseWriter(roles, timelines, 1)).toBe(expected);
  });
  test('is the first where two addresses lead to it', () => {
    expect(chooseWriter([on(1), on(1)], known(1))).toBe(0);
  });
});
