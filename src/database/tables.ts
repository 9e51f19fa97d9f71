import type facts from './generated/facts.ts';

/** The name of a model's table. */
export type TableName = (typeof facts.models)[keyof typeof facts.models]['table'];
