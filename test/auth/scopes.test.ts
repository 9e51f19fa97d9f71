import { describe, expect, test } from '@jest/globals';
import { allows, parseScopes, scopeGroups, scopes } from '../../src/auth/scopes.ts';

describe('scopes', () => {
  test('are two per scope group, one per read-only group, and three wildcards', () => {
    const groups = Object.keys(scopeGroups);
    expect(groups).toEqual(
      expect.arrayContaining([
        ...[
          'service_requests',
          'move_requests',
          'inventory',
          'procurement',
          'leases',
          'assets',
          'vendors',
          'checklists',
        ],
        ...['time_clock', 'shipping', 'locations', 'paint', 'butts_in_seats', 'documents', 'hr', 'training', 'notes'],
        ...['reminders', 'users', 'companies'],
      ]),
    );
    expect(scopes).toHaveLength(groups.length * 2 - 2 + 3);
    expect(new Set(scopes).size).toBe(scopes.length);
    expect(scopes).toEqual(expect.arrayContaining(groups.map((group) => `${group}:read`)));
    expect(scopes).toEqual(
      expect.arrayContaining(['service_requests:write', 'butts_in_seats:write', '*:read', '*:write', '*']),
    );
    expect(scopes).not.toContain('users:write');
    expect(scopes).not.toContain('companies:write');
  });

  test.each([
    ['paint:read', { 'paint:read': true, 'paint:write': false, 'notes:read': false, 'notes:write': false }],
    ['paint:write', { 'paint:read': false, 'paint:write': true, 'notes:read': false, 'notes:write': false }],
    ['*:read', { 'paint:read': true, 'paint:write': false, 'notes:read': true, 'notes:write': false }],
    ['*:write', { 'paint:read': false, 'paint:write': true, 'notes:read': false, 'notes:write': true }],
    ['*', { 'paint:read': true, 'paint:write': true, 'notes:read': true, 'notes:write': true }],
    ['paint:read notes:write', { 'paint:read': true, 'paint:write': false, 'notes:read': false, 'notes:write': true }],
    ['paint:*', { 'paint:read': false, 'paint:write': false, 'notes:read': false, 'notes:write': false }],
    ['', { 'paint:read': false, 'paint:write': false, 'notes:read': false, 'notes:write': false }],
  ] as const)('"%s" allows what it says and nothing else', (held, expected) => {
    const checked = ['paint:read', 'paint:write', 'notes:read', 'notes:write'] as const;
    const answers = Object.fromEntries(checked.map((needed) => [needed, allows(held.split(' '), needed)]));
    expect(answers).toEqual(expected);
  });

  test('are parsed from a list, without duplicates', () => {
    expect(parseScopes(' inventory:read, notes:write,inventory:read ')).toEqual(['inventory:read', 'notes:write']);
    expect(parseScopes('*')).toEqual(['*']);
  });

  test.each([
    ['everything', 'unknown scope "everything"'],
    ['inventry:read', 'unknown scope "inventry:read" (did you mean "inventory:read"?)'],
    [
      'paint:read,note:write,users:write',
      'unknown scope "note:write" (did you mean "notes:write"?); unknown scope "users:write"',
    ],
    ['paint', 'unknown scope "paint"'],
    ['PAINT:READ', 'unknown scope "PAINT:READ"'],
    [' , ', 'at least one scope is required'],
  ])('"%s" is invalid', (text, message) => {
    expect(() => parseScopes(text)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        fieldErrors: { scopes: expect.stringContaining(message) },
      }),
    );
  });
});
