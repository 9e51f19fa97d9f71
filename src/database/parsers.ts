/**
 * How `Database.query` reads values, by the type's OID, where the two drivers differ or lose something: bigint as a
 * number, numeric and date as the text PostgreSQL sends.
 */
export const parsers: Record<number, (text: string) => unknown> = {
  20: Number, // int8
  1082: String, // date
  1700: String, // numeric
};
