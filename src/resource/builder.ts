import PothosBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import { type Access, accessError, permits } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Prisma, PrismaClient } from '../database/generated/client/client.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import { type AccessRules, isRefusedBefore, repeatedRefusal } from './access.ts';
// Registers the plugin `columns`, as `access.ts` registers `access`.
import './columns.ts';
import { RelativeDateScalar, RelativeDateTimeScalar, type RelativeTime } from './filter/relative-time.ts';
import { FieldNameScalar, type RowImage, RowImageScalar } from './row-image.ts';
import { type Counts, CountsScalar, DateScalar, DateTimeScalar } from './scalars.ts';

/** Pothos' type parameters. */
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
    RelativeDate: { Input: Date | RelativeTime; Output: Date };
    RelativeDateTime: { Input: Date | RelativeTime; Output: Date };
    Counts: { Input: Counts; Output: Counts };
    FieldName: { Input: string; Output: string };
    RowImage: { Input: RowImage; Output: RowImage };
  };
  AuthScopes: { access: Access };
}

/** The access that a rejected field required: each field has one rule, the kit's or its own. */
function neededAccess(failure: AuthFailure): Access {
  if ('failures' in failure && failure.failures[0]) return neededAccess(failure.failures[0]);
  if ('parameter' in failure) return failure.parameter as Access;
  throw new Error(`Unknown authorization failure: ${failure.kind}`);
}

/**
 * Creates a schema builder. A root field without an access rule does not build.
 *
 * @param access the access rules of types; filled before the schema is built
 */
export function createBuilder(access: AccessRules) {
  const builder = new PothosBuilder<BuilderTypes>({
    plugins: ['columns', 'access', ScopeAuthPlugin, PrismaPlugin],
    access,
    defaultFieldNullability: false,
    prisma: {
      // Pothos only reads through it, which a transaction's client can too.
      client: (context) => context.unscopedDb as PrismaClient,
      dmmf: getDatamodel(),
    },
    scopeAuth: {
      authScopes: ({ caller }) => ({ access: (needed) => permits(caller, needed) }),
      unauthorizedError: (_parent, context, info, { failure }) =>
        isRefusedBefore(context, info) ? repeatedRefusal : accessError(context.caller, neededAccess(failure)),
    },
  });
  builder.queryType({ description: 'Everything that can be read.' });
  builder.mutationType({ description: 'Everything that can be changed.' });
  builder.addScalarType('Date', DateScalar);
  builder.addScalarType('DateTime', DateTimeScalar);
  builder.addScalarType('RelativeDate', RelativeDateScalar);
  builder.addScalarType('RelativeDateTime', RelativeDateTimeScalar);
  builder.addScalarType('Counts', CountsScalar);
  builder.addScalarType('FieldName', FieldNameScalar);
  builder.addScalarType('RowImage', RowImageScalar);
  return builder;
}

/** Pothos' builder with our types. */
export type SchemaBuilder = ReturnType<typeof createBuilder>;

/** The types that Pothos checks every field against. */
export type SchemaTypes = SchemaBuilder['$inferSchemaTypes'];
