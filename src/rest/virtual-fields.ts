import { getNamedType, isObjectType } from 'graphql';
import type { RestOperation } from './operations.ts';
import { shownFields } from './rest-schema.ts';

/**
 * Creates the function that finds the virtual fields which show any of some columns and relations.
 *
 * @returns a function from their names in GraphQL to the fields' names in REST
 */
export function createVirtualFieldFinder({ schema, field }: RestOperation): (names: readonly string[]) => string[] {
  const type = getNamedType(field.type);
  const fields = isObjectType(type) ? type.getFields() : {};
  const virtualFields = shownFields(schema, type.name).flatMap((name) => {
    const { selects } = fields[name]?.extensions ?? {};
    return selects ? [{ name, selected: Object.keys(selects) }] : [];
  });
  return (names) =>
    virtualFields.filter(({ selected }) => selected.some((each) => names.includes(each))).map(({ name }) => name);
}
