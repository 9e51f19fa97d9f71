import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import { type Access, permits, refusal } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Prisma } from '../database/generated/client/client.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import './access.ts';
import './columns.ts';
import { type Counts, CountsScalar, DateScalar, DateTimeScalar } from './scalars.ts';

/** What the schema is built over. */
interface BuilderTypes {
  PrismaTypes: PrismaTypes;
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    /** Amounts are exact decimals in the database and numbers in JSON. */
    Float: { Input: number; Output: number | Prisma.Decimal };
    Date: { Input: Date; Output: Date };
    DateTime: { Input: Date; Output: Date };
    Counts: { Input: Counts; Output: Counts };
  };
  AuthScopes: { access: Access };
}

/** What a refused field asked for: each has one rule, the kit's or its own. */
function missing(failure: AuthFailure): Access {
  if ('failures' in failure && failure.failures[0]) return missing(failure.failures[0]);
  if ('parameter' in failure) return failure.parameter as Access;
  throw new Error(`A field was refused for a reason nobody gave it: ${failure.kind}`);
}

/** The one schema builder. Types live with their families; a root field without an access rule does not build. */
export const builder = new SchemaBuilder<BuilderTypes>({
  plugins: ['columns', 'access', ScopeAuthPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: (context) => context.db,
    dmmf: getDatamodel(),
  },
  scopeAuth: {
    authScopes: ({ caller }) => ({ access: (needed) => permits(caller, needed) }),
    unauthorizedError: (_parent, { caller }, _info, { failure }) => refusal(caller, missing(failure)),
  },
});

/** The types that Pothos checks every field against. */
export type SchemaTypes = typeof builder.$inferSchemaTypes;

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed.' });
builder.addScalarType('Date', DateScalar);
builder.addScalarType('DateTime', DateTimeScalar);
builder.addScalarType('Counts', CountsScalar);
