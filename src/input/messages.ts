// What is said of a mistake that several places find.

/** A text is missing. */
export const isRequired = 'is required';

/** A value is no text. */
export const notString = 'must be a string';

/** An object has a field that its type lacks. @param suggestion the field that may be meant, as `suggest` writes it */
export const unknownField = (suggestion = ''): string => `is not a field here${suggestion}`;

/** A list is too long. */
export const tooManyValues = (most: number): string => `must have at most ${most} values`;
