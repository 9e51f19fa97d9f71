import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { scopeGroups } from '../../src/auth/scopes.ts';
import { routes } from '../support/api.ts';
import { signInAll } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { operationOf, rootField, rootFields } from '../support/resources.ts';
import { takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

type Who =
  | 'anonymous'
  | 'a token of full scope'
  | 'a token of every scope group'
  | 'a member'
  | 'an executive'
  | 'an admin';
type Outcome = 'allowed' | 'INVALID_TOKEN' | 'INSUFFICIENT_SCOPE';

let service: Service;
let callers: Record<Who, Client>;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  const { admin, executive, member } = await signInAll(service, tenant);
  callers = {
    anonymous: service.anonymous,
    'a token of full scope': await tenant.client(['*']),
    'a token of every scope group': await tenant.client(
      Object.keys(scopeGroups).flatMap((group) =>
        ['users', 'companies'].includes(group) ? [`${group}:read`] : [`${group}:read`, `${group}:write`],
      ),
    ),
    'a member': member,
    'an executive': executive,
    'an admin': admin,
  };
});
afterAll(async () => {
  await service.close();
});

/** The outcome of operations without a scope group, by caller. */
const outcomes: Record<string, Record<Who, Outcome>> = {
  public: all('allowed'),
  session: {
    ...all('allowed'),
    anonymous: 'INVALID_TOKEN',
    'a token of full scope': 'INVALID_TOKEN',
    'a token of every scope group': 'INVALID_TOKEN',
  },
  management: {
    ...all('allowed'),
    anonymous: 'INVALID_TOKEN',
    'a token of full scope': 'INVALID_TOKEN',
    'a token of every scope group': 'INVALID_TOKEN',
    'a member': 'INSUFFICIENT_SCOPE',
  },
  admin: {
    anonymous: 'INVALID_TOKEN',
    'a token of full scope': 'INVALID_TOKEN',
    'a token of every scope group': 'INVALID_TOKEN',
    'a member': 'INSUFFICIENT_SCOPE',
    'an executive': 'INSUFFICIENT_SCOPE',
    'an admin': 'allowed',
  },
  token: {
    ...all('INVALID_TOKEN'),
    'a token of full scope': 'allowed',
    'a token of every scope group': 'allowed',
  },
  caller: { ...all('allowed'), anonymous: 'INVALID_TOKEN' },
  'write-all': { ...all('allowed'), anonymous: 'INVALID_TOKEN', 'a token of every scope group': 'INSUFFICIENT_SCOPE' },
};
function all(outcome: Outcome): Record<Who, Outcome> {
  return {
    anonymous: outcome,
    'a token of full scope': outcome,
    'a token of every scope group': outcome,
    'a member': outcome,
    'an executive': outcome,
    'an admin': outcome,
  };
}
const statusOf = { INVALID_TOKEN: 401, INSUFFICIENT_SCOPE: 403 };

const special = routes().filter(({ operation }) => !takesScope(operation.access));

test('only these routes require no scope of a scope group', () => {
  expect(special.map(({ method, path, operation: { access } }) => `${method} ${path} ${access}`).sort()).toEqual([
    'DELETE /import-mappings/:id caller',
    'GET /ai-usage management',
    'GET /ai-usage/uses management',
    'GET /ai-usage/uses/aggregates management',
    'GET /changes caller',
    'GET /dashboard/analytics session',
    'GET /files/:id caller',
    'GET /import-mappings caller',
    'GET /import-mappings/:id caller',
    'GET /imports caller',
    'GET /imports/:id caller',
    'GET /meta caller',
    'GET /public/expected-packages/:token public',
    'GET /public/expected-packages/status public',
    'GET /snapshot caller',
    'GET /status-periods caller',
    'GET /status-periods/aggregates caller',
    'GET /token token',
    'PATCH /import-mappings/:id caller',
    'PATCH /imports/:id caller',
    'POST /ai-usage management',
    'POST /import-mappings caller',
    'POST /imports caller',
    'POST /public/expected-packages public',
  ]);
});

describe.each(special.map(({ method, path, operation }) => [String(method), path, String(operation.access)] as const))(
  '%s %s, %s',
  (method, path, access) => {
    test.each(Object.entries(outcomes[access] ?? {}) as [Who, Outcome][])('%s: %s', async (who, outcome) => {
      for (const base of ['/api/v1', '/v1']) {
        const reply = await callers[who]
          .at(base)
          .request(method, path.replace(':token', 'x'), method === 'GET' ? {} : { body: {} });
        if (outcome === 'allowed') expect([200, 201, 400, 404, 422]).toContain(reply.status);
        else expect(reply).toMatchObject({ status: statusOf[outcome], error: { code: outcome } });
        expect(reply.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
        const needed = access === 'token' || access === 'caller' ? 'API token' : 'session';
        if (outcome === 'INVALID_TOKEN') expect(reply.error.message).toContain(needed);
      }
    });
  },
);

const fields = (['Query', 'Mutation'] as const).flatMap((kind) =>
  rootFields(kind)
    .filter(({ extensions }) => !takesScope(extensions['access']))
    .map(({ name, extensions }) => [kind, name, String(extensions['access'])] as const),
);

describe.each(fields)('%s.%s, %s', (kind, name, access) => {
  const { args, type } = rootField(name);
  const variables = Object.fromEntries(
    args
      .filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)
      .map((arg) => [arg.name, sample(arg.type)]),
  );
  const operation = operationOf(
    rootField(name),
    kind,
    Object.keys(variables),
    isObjectType(getNamedType(type)) ? '{ __typename }' : '',
  );

  test.each(Object.entries(outcomes[access] ?? {}) as [Who, Outcome][])('%s: %s', async (who, outcome) => {
    const { status, errors } = await callers[who].graphql(operation, variables);
    if (who === 'anonymous')
      return expect({ status, errors }).toMatchObject({
        status: 401,
        errors: [{ extensions: { code: 'INVALID_TOKEN' } }],
      });
    expect(status).toBe(200);
    if (outcome !== 'allowed')
      return expect(errors).toMatchObject([{ path: [name], extensions: { code: outcome, status: statusOf[outcome] } }]);
    // Other errors depend on the field.
    const codes = errors.map(({ extensions }) => extensions.code);
    expect(codes).not.toContain('INVALID_TOKEN');
    expect(codes).not.toContain('INTERNAL_ERROR');
    expect(codes).not.toContain('INSUFFICIENT_SCOPE');
  });
});

/** A value of a GraphQL type. */
function sample(type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [sample(nullable.ofType)];
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name;
  if (isInputObjectType(nullable)) {
    const required = Object.values(nullable.getFields()).filter(
      ({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined,
    );
    return Object.fromEntries(required.map(({ name, type }) => [name, sample(type)]));
  }
  const samples: Record<string, unknown> = {
    ID: '01890000-0000-7000-8000-000000000000',
    Int: 1,
    Float: 1,
    Boolean: true,
    Date: '2026-03-01',
    DateTime: '2026-03-01',
  };
  return samples[String(nullable)] ?? 'x';
}
