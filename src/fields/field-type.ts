import type { GraphQLScalarType } from 'graphql';

/**
 * How text of PostgreSQL, or a value inside its JSON, arrives: the SQL that writes it, and what it is decoded to: a
 * value that JSON.stringify can print, as ETags are made of it.
 */
interface Transfer<Value> {
  readonly sql: (sql: string) => string;
  /** Converts a value that is not null. */
  readonly decode: (value: Value) => unknown;
}

/** How values of a type are stored: what the reader and the writer of the database know of them. */
export interface StoredType {
  /** Their type in SQL. */
  readonly sqlType: string;
  /** The collation by which they are sorted and compared, if it is not the column's. */
  readonly collation?: string;
  /** Converts a value to the form of the database's driver. */
  readonly encode: (value: unknown) => unknown;
  /** How values arrive as PostgreSQL's text. */
  readonly asText: Transfer<string>;
  /** How values arrive inside JSON, without loss. */
  readonly asJson: Transfer<unknown>;
  /** Of an enum: its members, each with its value in REST and the database. */
  readonly words?: Readonly<Record<string, string>>;
  /** Creates a value of a column whose default the service computes, at the time of a write. */
  readonly create?: (at: Date) => unknown;
}

/** The operators of all filters; each type has those that suit it. */
export type Operator =
  | 'eq'
  | 'ne'
  | 'in'
  | 'notIn'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'contains'
  | 'startsWith'
  | 'isNull';

/** The operators that compare for equality, and those that compare in order. */
export const equality = ['eq', 'ne', 'in', 'notIn'] as const;
export const bounds = ['lt', 'lte', 'gt', 'gte'] as const;

/** The parts of a date or time that rows are grouped by: the first day of a period, or a number. */
export const dateParts = ['day', 'week', 'month', 'quarter', 'year', 'fiscalYear', 'weekday', 'hour'] as const;
/** A part of a date or time; see `dateParts`. */
export type DatePart = (typeof dateParts)[number];

/** How enums are spelled: as GraphQL's members, or as the values that REST and the database have. */
export type EnumSpelling = 'member' | 'mapped';

/** The limits of a column's values. */
export interface Limits {
  readonly required: boolean;
  readonly list: boolean;
  /** Maximum length of a text, in characters. */
  readonly maxLength?: number;
  /** Total number of digits, and of digits after the decimal point. */
  readonly precision?: number;
  readonly scale?: number;
}

/** The part of a rule that JSON Schema can express. */
export interface RuleFacts {
  /** The pattern of non-empty text; empty text counts as unset, which no rule forbids. */
  readonly pattern?: string;
  /** The possible formats of non-empty text. */
  readonly formats?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Validates a set value. Returns an error message, or undefined for a valid value. */
export type Rule = ((value: never) => string | undefined) & { readonly facts?: RuleFacts };

/** What a check found: the value to store, or what is wrong. */
export type Checked =
  | {
      readonly value: unknown;
      /** What is wrong with items of a list, by their places; by an empty text, with all of it. */
      readonly errors?: Readonly<Record<string, string>>;
    }
  | { readonly error: string };

/** When, and in which time zone, a value is read. */
export interface Clock {
  readonly now: Date;
  readonly timeZone: string;
}

/** A JSON Schema (2020-12), or a reference to one: the keywords that are read here, and others. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly [keyword: string]: unknown;
}

/** Whether a value is sent by the client or by the service. */
export type Direction = 'input' | 'output';

/** How values of a type are compared in filters. */
export interface Comparison {
  /** The name of its filter type, before `Filter`. */
  readonly name: string;
  readonly operators: readonly Operator[];
  /** What operands are, where it is another scalar. */
  readonly operand?: { readonly scalar: GraphQLScalarType; readonly schema: JsonSchema };
  /** All values in their order, of types that have few; PostgreSQL cannot compare these. */
  readonly members?: readonly unknown[];
  /** Converts an operand that the scalar has parsed to the form of the database's client. */
  readonly read: (operand: unknown, clock: Clock) => Checked;
}

/** How values lie in time, of dates and times. */
export interface Calendar {
  /** The word for a value. */
  readonly word: string;
  /** What rows can be grouped by. */
  readonly parts: readonly DatePart[];
  /** Whether finding a part costs more than reading a column, as it converts a time zone. */
  readonly isCostly: boolean;
  /** The SQL of a value's day. @param zone the SQL of a time zone */
  readonly daySql: (sql: string, zone: () => string) => string;
  /** The SQL of a value's time. */
  readonly timeSql: (sql: string) => string;
  /** The value that stands for now. */
  readonly now: (clock: Clock) => Date;
}

/** The controls of forms, and what people enter in each. */
export const controls = {
  TEXT: 'One line of text.',
  LONG_TEXT: 'Text of several lines.',
  NUMBER: 'A number.',
  CHECKBOX: 'Yes or no.',
  DATE: 'A day.',
  DATE_TIME: 'A time.',
  CHOICE: 'One of a few values.',
  REFERENCE: 'Another row.',
  ITEMS: 'Rows of fields of their own.',
} as const;
/** The control of a form in which people enter a value. */
export type Control = keyof typeof controls;

/** How values of a type are written in CSV. */
export interface Cells {
  /** The text of a value, as REST has it in JSON. */
  readonly print: (shown: unknown) => string;
  /** Reads a text that is not empty. @returns the value as REST has it in JSON, or what is wrong */
  readonly parse: (cell: string) => Checked;
}

/**
 * A cell of a spreadsheet, by the kind of its value. Dates and times are numbers of days since 1899-12-30, which a
 * format shows as such; the digits of a number are text.
 */
export type SheetCell =
  | { readonly text: string }
  | { readonly number: string }
  | { readonly boolean: boolean }
  | { readonly date: number }
  | { readonly time: number };

/** A type of values, as every part of the service needs it. */
export interface FieldType extends StoredType {
  /** The name of its GraphQL type. */
  readonly name: string;
  /** The description of an enum. */
  readonly documentation?: string;
  /** Its GraphQL scalar; an enum has none. */
  readonly scalar?: GraphQLScalarType;
  /** Normalizes and validates a value that is set, of a request. */
  readonly check: (value: unknown, limits: Limits, rule: Rule | undefined) => Checked;
  /** The value of a default that is a constant. */
  readonly constant: (value: string | number | boolean) => unknown;
  readonly comparison: Comparison;
  /** What its values are aggregated as: numbers have sums, dates and times the first and the last. */
  readonly measure?: 'Number' | 'Date' | 'DateTime';
  /** Whether the digits of an aggregated value matter, as those of money do. */
  readonly isExact?: true;
  /** Whether rows can be grouped by a column's values. */
  readonly isKey: (limits: Pick<Limits, 'maxLength'>) => boolean;
  /** Whether a column's values can be long, and cost more to answer. */
  readonly isLong: (limits: Pick<Limits, 'maxLength'>) => boolean;
  readonly calendar?: Calendar;
  /** Whether a value can be any text, also with commas and quotes. */
  readonly isFreeText?: true;
  /** A value in the form that a cursor has it: JSON. */
  readonly position: (value: unknown) => unknown;
  /** Whether a value can be part of a cursor, in that form. */
  readonly isPosition: (value: unknown, limits: Limits) => boolean;
  /** The SQL of a value's JSON as clients get it; undefined where only the service can write it. */
  readonly shownSql?: (sql: string, spelling: EnumSpelling) => string;
  /** A value of a row's stored image as clients get it. */
  readonly shown: (stored: unknown, spelling: EnumSpelling) => unknown;
  /** Its JSON Schema, with the limits of a column. */
  readonly jsonSchema: (direction: Direction, limits?: Limits, rule?: Rule) => JsonSchema;
  /** The schema of its values in requests, where it is one that all columns share. */
  readonly inputSchema?: { readonly name: string; readonly schema: JsonSchema };
  /** The control of forms for a column's values; for a list of them, that of one. */
  readonly control: (limits: Pick<Limits, 'maxLength'>) => Control;
  /** How values are printed in CSV, and parsed. */
  readonly csv: Cells;
  /** The cell of a spreadsheet for a value, as clients get it. @param timeZone in which times are shown */
  readonly sheet: (shown: unknown, timeZone: string) => SheetCell;
  /** What its JSON Schema leaves out, in words. */
  readonly limitText?: (limits: Limits) => string;
  /** An example of a value in JSON. */
  readonly example?: unknown;
  /** An example that differs by what it is a value of, such as an id, in place of `example`. */
  readonly exampleOf?: (of: string) => unknown;
}

/** Converts what is no plain number to its digits. */
export const encodeNumber = (value: unknown): unknown =>
  typeof value === 'bigint' || (typeof value === 'object' && value !== null) ? `${value as bigint}` : value;

/** A value as it is. */
export const same = <Value>(value: Value): Value => value;

/** What is true of most types: values are stored, shown and entered as they are, and rows are not grouped by them. */
export const plain = {
  encode: same,
  asText: { sql: same, decode: same },
  asJson: { sql: same, decode: same },
  shownSql: same,
  shown: same,
  constant: same,
  position: same,
  control: (): Control => 'TEXT',
  isKey: () => false,
  isLong: () => false,
  sheet: (shown: unknown): SheetCell => ({ text: String(shown) }),
} satisfies Partial<FieldType>;

/** Maximum length of a text column that declares no length. */
export const defaultMaxLength = 20_000;

/** Applies the rule of a column to a value that is valid by its type. */
export function passRule(value: unknown, rule: Rule | undefined): Checked {
  // The compiler cannot know that the rule of a column takes values of its type.
  const error = rule?.(value as never);
  return error === undefined ? { value } : { error };
}
