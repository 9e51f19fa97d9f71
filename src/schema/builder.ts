import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import type { Scope } from '../callers/scopes.ts';
import { allows } from '../callers/scopes.ts';
import type { Context } from '../context.ts';
import type { Prisma } from '../database/generated/client/client.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import './resource/access.ts';
import './resource/columns.ts';
import { insufficientScope } from './resource/errors.ts';
import { DateScalar, DateTimeScalar } from './scalars.ts';

/** What the schema is built over. */
interface Foundation {
  PrismaTypes: PrismaTypes;
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    /** Amounts are exact decimals in the database and numbers in JSON. */
    Float: { Input: number; Output: number | Prisma.Decimal };
    Date: { Input: Date; Output: Date };
    DateTime: { Input: Date; Output: Date };
  };
  AuthScopes: { scope: Scope };
}

/** The scope that a refused field asked for, wherever it stands among its rules. */
function missingScope(failure: AuthFailure): string {
  if ('failures' in failure) return failure.failures.map(missingScope).join(' or ');
  return 'parameter' in failure ? String(failure.parameter) : 'another scope';
}

/** The one schema builder. Types live with their families; a root field without an access rule does not build. */
export const builder = new SchemaBuilder<Foundation>({
  plugins: ['columns', 'access', ScopeAuthPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: (context) => context.db,
    dmmf: getDatamodel(),
  },
  scopeAuth: {
    authScopes: ({ caller }) => ({ scope: (needed) => allows(caller.scopes, needed) }),
    unauthorizedError: (_parent, _context, _info, { failure }) => insufficientScope(missingScope(failure)),
  },
});

/** The types that Pothos checks every field against. */
export type SchemaTypes = typeof builder.$inferSchemaTypes;

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed.' });
builder.addScalarType('Date', DateScalar);
builder.addScalarType('DateTime', DateTimeScalar);
