import PothosBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import { type Access, accessError, permits } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Prisma, PrismaClient } from '../database/generated/client/client.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import type { AccessRules } from './access.ts';
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
function neededAccess(failure: AuthFailure): Access {
  if ('failures' in failure && failure.failures[0]) return neededAccess(failure.failures[0]);
  if ('parameter' in failure) return failure.parameter as Access;
  throw new Error(`A field was refused for a reason nobody gave it: ${failure.kind}`);
}

/**
 * Makes a schema builder. A root field without an access rule does not build.
 * @param access what the types of rows ask of their readers; filled before the schema is built
 */
export function createBuilder(access: AccessRules) {
  const builder = new PothosBuilder<BuilderTypes>({
    plugins: ['columns', 'access', ScopeAuthPlugin, PrismaPlugin],
    access,
    defaultFieldNullability: false,
    prisma: {
      // What Pothos asks it for, a transaction's client has too: reads.
      client: (context) => context.unscopedDb as PrismaClient,
      dmmf: getDatamodel(),
    },
    scopeAuth: {
      authScopes: ({ caller }) => ({ access: (needed) => permits(caller, needed) }),
      unauthorizedError: (_parent, { caller }, _info, { failure }) => accessError(caller, neededAccess(failure)),
    },
  });
  builder.queryType({ description: 'Everything that can be read.' });
  builder.mutationType({ description: 'Everything that can be changed.' });
  builder.addScalarType('Date', DateScalar);
  builder.addScalarType('DateTime', DateTimeScalar);
  builder.addScalarType('Counts', CountsScalar);
  return builder;
}

/** Pothos' builder over our types. */
export type SchemaBuilder = ReturnType<typeof createBuilder>;

/** The types that Pothos checks every field against. */
export type SchemaTypes = SchemaBuilder['$inferSchemaTypes'];
