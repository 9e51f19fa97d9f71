/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^graphql$': '<rootDir>/test/support/jest/graphql.ts',
    '^@pothos/core$': '<rootDir>/test/support/jest/pothos.ts',
  },
  transform: {
    // These modules run compiled and once per process, as with `npm start`, rather than once per test file.
    '((?<!/web)/src/.*|/test/support/(company-conditions|contract|database|hash-of|statements|template|jest/\\w+))\\.ts$':
      '<rootDir>/test/support/jest/by-node.mjs',
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2023', experimental: { keepImportAttributes: true } } }],
  },
  globalSetup: '<rootDir>/test/support/setup.mjs',
  globalTeardown: '<rootDir>/test/support/teardown.mjs',
  maxWorkers: 2,
  testTimeout: 120_000, // a small machine with two workers may take long to open a database
};
