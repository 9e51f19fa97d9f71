// The plugin of access is known to the one that Node loaded.
export * from '@pothos/core';
export { default } from '@pothos/core';
