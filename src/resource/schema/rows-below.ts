// The fields of inputs for rows that are created together with the row above them.
import type { InputObjectRef } from '@pothos/core';
import { upperFirst } from '../../names.ts';
import type { ListBelow } from '../definition/list-below.ts';
import { listOf, type Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { getOrCreate } from '../get-or-create.ts';
import { maxWrites } from '../write/nested-items.ts';
import type { SchemaTypes } from './builder.ts';
import type { InputFieldMap, InputFields, NestedInputOptions, SchemaKit } from './schema-kit.ts';

type InputOfRows = InputObjectRef<SchemaTypes, Row>;
type Input = PothosSchemaTypes.ImplementableInputObjectRef<SchemaTypes, Row>;

/** The inputs of each schema, by name. Those that refer to each other exist before their fields do. */
const inputs = new WeakMap<SchemaKit, Map<string, Input>>();

/** The input type of a name, whose fields are added once. */
export const inputOf = (kit: SchemaKit, name: string): Input =>
  getOrCreate(
    getOrCreate(inputs, kit, () => new Map<string, Input>()),
    name,
    () => kit.builder.inputRef<Row>(name),
  );

/** Adds the fields of an input type. */
export const addInput = (kit: SchemaKit, name: string, { description, fields }: NestedInputOptions): InputOfRows =>
  inputOf(kit, name).implement({
    description,
    // Pothos types them by a shape; the kit knows columns only by name.
    fields: fields as never,
  });

/** Whether rows of a list need an input without the column that refers to the row above: sub-resources have none. */
export const needsOwnInput = (list: ListBelow): boolean =>
  list.resource.parent?.column !== list.column && !isMounted(list);

/** Whether they have one already, as they are also created below the row by a route. */
const isMounted = ({ resource: { rest }, column }: ListBelow): boolean =>
  rest.mountedUnder?.column === column && rest.mountedUnder.actions.includes('create');

/** The name of the input type of a list's rows: of their type or, where several lists have it, of the list. */
export function inputName({ registry }: SchemaKit, of: Resource, list: ListBelow): string {
  const { relation, resource } = list;
  if (!needsOwnInput(list) && !isMounted(list)) return `Create${resource.type}Input`;
  const isOnly = registry.listsBelow(of).filter((other) => other.resource === resource).length === 1;
  return `Create${of.type}${isOnly ? resource.type : upperFirst(relation)}Input`;
}

/** The fields for the rows of the lists of a new row. */
export const fieldsBelow = (kit: SchemaKit, t: InputFields, resource: Resource): InputFieldMap =>
  Object.fromEntries(
    kit.registry.listsBelow(resource).map((list) => {
      const { relation, resource: below } = list;
      const { scope, type, policies } = below;
      const access = `${scope}:write` as const;
      const needed = scope === resource.scope ? '' : `, with the scope \`${access}\``;
      return [
        relation,
        t.field({
          type: [inputOf(kit, inputName(kit, resource, list))],
          description: `New ${listOf(resource, relation).words}${needed}.`,
          extensions: { maxItems: maxWrites, creates: { access, type, policies, action: 'create' } },
        }),
      ];
    }),
  );
