import type { ServiceError } from '../../errors.ts';
import { getOrCreate } from '../get-or-create.ts';
import { maxWrites } from '../write/nested-items.ts';
import type { SchemaKit } from './schema-kit.ts';

/** The types that the operations of all resources share. */
const sharedTypes = new WeakMap<SchemaKit, ReturnType<typeof createSharedTypes>>();
/** Those of a schema. */
export const sharedOf = (kit: SchemaKit) => getOrCreate(sharedTypes, kit, () => createSharedTypes(kit));

function createSharedTypes({ builder }: SchemaKit) {
  const enumOf = (name: string, description: string, values: Readonly<Record<string, string>>) =>
    builder.enumType(name, {
      description,
      values: Object.fromEntries(Object.entries(values).map(([value, text]) => [value, { value, description: text }])),
    });
  const Handling = enumOf('Handling', 'What becomes of the other rows when one is refused.', {
    STRICT: 'All are taken back.',
    LENIENT: 'They are written.',
  });
  const Done = enumOf('WriteAction', 'What was done with a row.', {
    CREATED: 'It is new.',
    UPDATED: 'It was changed.',
    UNCHANGED: 'It had these values already.',
    DELETED: 'It was deleted.',
    REFUSED: 'Nothing, for the reason in `error`.',
  });
  const WriteError = builder.objectRef<Refusal>('WriteError').implement({
    description: 'Why a row was refused.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'The code of the error.' }),
      message: t.exposeString('reason', { description: 'The reason.' }),
      details: t.field({
        type: 'FieldErrors',
        nullable: true,
        description: 'The reason for each field, where there are some.',
        resolve: ({ fieldErrors }) => fieldErrors ?? null,
      }),
    }),
  });
  const ChangedRows = builder
    .objectRef<{ readonly ids: readonly string[]; readonly changed: number }>('ChangedRows')
    .implement({
      description: 'The rows that a filter matched.',
      fields: (t) => ({
        count: t.int({ description: 'How many rows matched.', resolve: ({ ids }) => ids.length }),
        changed: t.exposeInt('changed', { description: 'How many of them were changed or deleted.' }),
        ids: t.field({
          type: ['ID'],
          description: 'The IDs of all that matched, in ascending order.',
          extensions: { usualSize: 100, maxItems: maxWrites },
          resolve: ({ ids }) => [...ids],
        }),
      }),
    });
  return { Handling, Done, WriteError, ChangedRows };
}

/** Why a row was refused. */
type Refusal = Pick<ServiceError, 'code' | 'reason' | 'fieldErrors'>;
