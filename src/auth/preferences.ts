import { IANAZone } from 'luxon';
import { oneOf } from '../input/index.ts';
import { languages } from './sessions/bodies.ts';

/** Finds what is wrong with the language of a person. */
export const validateLanguage = (tag: string): string | undefined =>
  languages.some((known) => known === tag) ? undefined : `must be ${oneOf(languages)}`;

/** What is wrong with a name that is no time zone's. */
export const timeZoneError = 'must be the IANA name of a time zone, such as Europe/Berlin';

/** Finds what is wrong with the name of a time zone. */
export const validateTimeZone = (name: string): string | undefined =>
  IANAZone.isValidZone(name) ? undefined : timeZoneError;
