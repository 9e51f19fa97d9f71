import { describe, expect, test } from '@jest/globals';
import { allows, parseScopes, ScopeError, scopeGroups, scopes } from '../../src/auth/scopes.ts';

describe('scopes', () => {
  test('are the 38 of the scopeGroups, of which two are read-only, and three wildcards', () => {
    expect(scopeGroups).toHaveLength(20);
    expect(scopes).toHaveLength(18 * 2 + 2 + 3);
    expect(new Set(scopes).size).toBe(scopes.length);
    expect(scopes).toEqual(
      expect.arrayContaining(['service_requests:write', 'butts_in_seats:read', 'users:read', '*']),
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
    const asked = ['paint:read', 'paint:write', 'notes:read', 'notes:write'] as const;
    const answers = Object.fromEntries(asked.map((needed) => [needed, allows(held.split(' '), needed)]));
    expect(answers).toEqual(expected);
  });

  test('are read from a list, each once', () => {
    expect(parseScopes(' inventory:read, notes:write,inventory:read ')).toEqual(['inventory:read', 'notes:write']);
    expect(parseScopes('*')).toEqual(['*']);
  });

  test.each([
    ['inventry:read', 'there is no scope "inventry:read" (did you mean "inventory:read"?)'],
    [
      'paint:read,note:write,users:write',
      'there is no scope "note:write" (did you mean "notes:write"?); there is no scope "users:write"',
    ],
    ['paint', 'there is no scope "paint"'],
    ['PAINT:READ', 'there is no scope "PAINT:READ"'],
    [' , ', 'give at least one scope'],
  ])('"%s" is refused', (text, message) => {
    expect(() => parseScopes(text)).toThrow(ScopeError);
    expect(() => parseScopes(text)).toThrow(message);
  });
});
