import { snakeCase } from '../schema/resource/names.ts';

/** The arguments of lists that REST calls otherwise (spec §4, Pagination). */
const renamed = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
]);

/** An argument's name as a query parameter. */
export const parameterName = (argument: string) => renamed.get(argument) ?? snakeCase(argument);

/** A field's name in REST bodies. A path keeps its dots: `location.buildingId` → `location.building_id`. */
export const fieldName = (field: string) => snakeCase(field);
