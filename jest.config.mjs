/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2023' } }] },
  globalSetup: '<rootDir>/test/support/setup.mjs',
  globalTeardown: '<rootDir>/test/support/teardown.mjs',
  maxWorkers: 2,
  // Modules of finished files stay in a worker; a fresh one takes over before they fill a small machine.
  workerIdleMemoryLimit: '2GB',
  testTimeout: 120_000, // a small machine with two workers takes its time to open a database
};
