import { oneOf } from '../input/index.ts';
import { type FieldType, passRule, plain, same } from './field-type.ts';
import { ordered } from './numbers.ts';
import { readOperandText } from './text.ts';

/** An enum of the Prisma schema. */
interface EnumFacts {
  readonly documentation?: string;
  /** Its type in the database. */
  readonly databaseType: string;
  /** Member → its value in the database and in REST. */
  readonly mappedValues: Readonly<Record<string, string>>;
}

/** The type of an enum's values, which are in the order of its members. */
export function enumeration(name: string, { documentation, databaseType, mappedValues }: EnumFacts): FieldType {
  const members = new Map(Object.entries(mappedValues).map(([member, value]) => [value, member]));
  const decode = (value: unknown) => members.get(String(value));
  const cases = Object.entries(mappedValues).map(([member, value]) => `WHEN '${value}' THEN '${member}'`);
  return {
    ...plain,
    name,
    documentation,
    words: mappedValues,
    sqlType: `"${databaseType}"`,
    encode: (value) => mappedValues[String(value)] ?? value,
    asText: { sql: same, decode },
    asJson: { sql: same, decode },
    shownSql: (sql, spelling) => (spelling === 'mapped' ? sql : `CASE ${sql} ${cases.join(' ')} END`),
    shown: (stored, spelling) => (spelling === 'mapped' ? stored : (members.get(String(stored)) ?? stored)),
    check: (given, _limits, rule) => passRule(given, rule),
    control: () => 'CHOICE',
    comparison: {
      name,
      operators: ordered,
      members: Object.keys(mappedValues),
      read: (operand) => readOperandText(String(operand)),
    },
    isKey: () => true,
    isPosition: (value) => typeof value === 'string' && Object.hasOwn(mappedValues, value),
    jsonSchema: () => ({ type: 'string', enum: Object.values(mappedValues) }),
    csv: {
      print: String,
      parse: (cell) =>
        members.has(cell) ? { value: cell } : { error: `must be ${oneOf(Object.values(mappedValues))}` },
    },
  };
}
