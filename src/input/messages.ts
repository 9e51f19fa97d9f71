// What is said of a mistake that several places find.

/** A value is missing. */
export const isRequired = 'is required';

/** A value is null. */
export const isNull = 'must not be null';

/** A text is empty. */
export const isEmpty = 'must not be empty';

/** A value is no text. */
export const notString = 'must be a string';

/** A value is no uuid. */
export const notUuid = 'must be a uuid';

/** A text is no URL. */
export const notUrl = 'must be an http or https URL';

/** An object has a field that its type lacks. @param suggestion the field that may be meant, as `suggest` writes it */
export const unknownField = (suggestion = ''): string => `is not a field here${suggestion}`;

/** A list is too long. */
export const tooManyValues = (most: number): string => `must have at most ${most} values`;

/** A number is outside of its range. */
export const notBetween = (least: number, most: number): string => `must be between ${least} and ${most}`;

/** A date or time is before another. @param first the other, in words: `start date` */
export const isBefore = (first: string): string => `must be on or after the ${first}`;

/** A time is not to come. */
export const notInFuture = 'must be in the future';
