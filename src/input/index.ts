// The strict reader of input, which both APIs use: the same mistake has the same message.
export { findDuplicateName } from './duplicate-names.ts';
export { ErrorCollector } from './error-collector.ts';
export { oneOf, readLeaf } from './leaves.ts';
export { literalOf } from './literals.ts';
export { messages } from './messages.ts';
export { type InputConventions, isObject, readInput } from './read.ts';
export { findNear, suggest } from './suggest.ts';
