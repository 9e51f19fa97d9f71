import PothosBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import { isSpecifiedScalarType } from 'graphql';
import { type Access, accessError, permits } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import type PrismaTypes from '../../database/generated/prisma-types.ts';
import { getDatamodel } from '../../database/generated/prisma-types.ts';
import type { FieldErrors } from '../../errors.ts';
import { fieldTypes, keepDigits, type RelativeTime } from '../../fields/index.ts';
import type { ExactNumber } from '../../json.ts';
import { isRefusedBefore, repeatedRefusal } from './access-plugin.ts';
// These register the plugins `columns` and `extensions`, as `access-plugin.ts` registers `access`.
import './columns-plugin.ts';
import './extensions-plugin.ts';
import { FieldErrorsScalar, FieldNameScalar, type RowImage, RowImageScalar } from '../read/row-image.ts';
import { type Counts, CountsScalar } from './counts.ts';
import { pothosClient } from './pothos-client.ts';

/** Pothos' type parameters. */
interface BuilderTypes {
  PrismaTypes: PrismaTypes;
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    /** Amounts are exact decimals in the database and numbers in JSON. */
    Float: { Input: number | ExactNumber; Output: number | Prisma.Decimal };
    Date: { Input: Date; Output: Date };
    DateTime: { Input: Date; Output: Date };
    RelativeDate: { Input: Date | RelativeTime; Output: Date };
    RelativeDateTime: { Input: Date | RelativeTime; Output: Date };
    Counts: { Input: Counts; Output: Counts };
    FieldName: { Input: string; Output: string };
    FieldErrors: { Input: FieldErrors; Output: FieldErrors };
    RowImage: { Input: RowImage; Output: RowImage };
  };
  AuthScopes: { access: Access };
}

/** The scalars of fields and of filters that GraphQL does not have itself. */
const customScalars = [
  ...Object.values(fieldTypes).map(({ scalar }) => scalar),
  ...Object.values(fieldTypes).map(({ comparison }) => comparison.operand?.scalar),
]
  .filter((scalar) => scalar !== undefined && !isSpecifiedScalarType(scalar))
  .filter((scalar) => scalar !== undefined);

/** Pothos knows scalars by the names in `BuilderTypes`. */
type CustomScalar = Exclude<keyof BuilderTypes['Scalars'], 'ID' | 'Float'>;

/** The access that a rejected field required: each field has one rule, the kit's or its own. */
function neededAccess(failure: AuthFailure): Access {
  if ('failures' in failure && failure.failures[0]) return neededAccess(failure.failures[0]);
  if ('parameter' in failure) return failure.parameter as Access;
  throw new Error(`Unknown authorization failure: ${failure.kind}`);
}

/**
 * Creates a schema builder. A root field without an access rule does not build.
 */
export function createBuilder() {
  const builder = new PothosBuilder<BuilderTypes>({
    // The last comes first.
    plugins: ['columns', 'access', ScopeAuthPlugin, PrismaPlugin, 'extensions'],
    defaultFieldNullability: false,
    prisma: {
      client: pothosClient,
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
  keepDigits();
  for (const scalar of customScalars) builder.addScalarType(scalar.name as CustomScalar, scalar);
  builder.addScalarType('Counts', CountsScalar);
  builder.addScalarType('FieldName', FieldNameScalar);
  builder.addScalarType('FieldErrors', FieldErrorsScalar);
  builder.addScalarType('RowImage', RowImageScalar);
  return builder;
}

/** Pothos' builder with our types. */
export type SchemaBuilder = ReturnType<typeof createBuilder>;

/** The types that Pothos checks every field against. */
export type SchemaTypes = SchemaBuilder['$inferSchemaTypes'];
