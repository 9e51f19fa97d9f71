import { createHash } from 'node:crypto';
import { GraphQLID } from 'graphql';
import { isUuid, uuidAt } from '../formats.ts';
import { messages } from '../input/index.ts';
import { scalarCells } from './cells.ts';
import { equality, type FieldType, passRule, plain } from './field-type.ts';
import { cleanText, readOperandText } from './text.ts';

/** An id for examples, the same for the same `of`. */
function exampleId(of: string): string {
  const hex = createHash('sha256').update(of).digest('hex');
  return `019b6f3c-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
}

/** Ids, of rows and of rows that they refer to. */
export const uuid: FieldType = {
  ...plain,
  name: GraphQLID.name,
  scalar: GraphQLID,
  sqlType: 'uuid',
  create: uuidAt,
  check(given, _limits, rule) {
    // In the database's spelling.
    const value = typeof given === 'string' ? cleanText(given).toLowerCase() : given;
    return isUuid(value) ? passRule(value, rule) : { error: messages.uuid };
  },
  control: () => 'REFERENCE',
  comparison: {
    name: 'Id',
    operators: [...equality, 'isNull'],
    read: (operand) => (isUuid(operand) ? readOperandText(operand) : { error: messages.uuid }),
  },
  isKey: () => true,
  isPosition: isUuid,
  jsonSchema: () => ({ type: 'string', format: 'uuid', maxLength: 36 }),
  csv: scalarCells(GraphQLID),
  exampleOf: exampleId,
};
