/** The messages of mistakes that several places find. */
export const messages = {
  required: 'is required',
  notNull: 'must not be null',
  notEmpty: 'must not be empty',
  string: 'must be a string',
  uuid: 'must be a uuid',
  url: 'must be an http or https URL',
  inFuture: 'must be in the future',

  /** @param suggestion the field that may be meant, as `suggest` writes it */
  unknownField: (suggestion = ''): string => `is not a field here${suggestion}`,

  tooManyValues: (most: number): string => `must have at most ${most} values`,

  between: (least: number | string, most: number | string): string => `must be between ${least} and ${most}`,

  /** @param place of the other row: `items.3` */
  sameAs: (place: string): string => `is the same as in ${place}`,

  /** @param other the field in words that needs this one: `external id` */
  requiredWith: (other: string): string => `is required with the ${other}`,

  /** @param first the earlier date or time in words: `start date` */
  notBefore: (first: string): string => `must be on or after the ${first}`,
} as const;
