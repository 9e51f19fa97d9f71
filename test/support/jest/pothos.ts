// The access plugin is registered with the instance that Node loaded.
export * from '@pothos/core';
export { default } from '@pothos/core';
