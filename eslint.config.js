import { join } from 'node:path';
import js from '@eslint/js';
import graphql from '@graphql-eslint/eslint-plugin';
import { defineConfig, globalIgnores } from 'eslint/config';
import i18next from 'eslint-plugin-i18next';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** What Node gives the scripts that are not TypeScript, which knows them by itself. */
const nodeGlobals = ['AbortSignal', 'URL', 'console', 'fetch', 'process', 'setTimeout', 'performance', 'setInterval'];

const ownDatabase = {
  group: ['**/database/index.ts'],
  importNames: ['openDatabase'],
  message: 'Resources get the database from the context.',
};

// Only definitions, at the start of the process, know fields by the names of a model and a column.
const factsOfModels = {
  group: ['**/resource/index.ts'],
  importNames: ['modelFacts'],
  message: 'Ask the resource, or the storage of the API. Tests use it.',
};
const factsOfColumns = {
  group: ['**/resource/index.ts'],
  importNames: ['column', 'lengthOf'],
  message: 'Ask the resource, or the storage of the API.',
};

export default defineConfig(
  globalIgnores([
    'src/database/generated/',
    'data/',
    'coverage/',
    'web/dist/',
    'test/dist/',
    'dist/',
    'release/',
    'web/src/api/generated/',
    'test/clients/scenarios/',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{js,mjs,ts,tsx}'],
    extends: [js.configs.recommended],
    // Biome wraps code, but no comments.
    rules: { 'max-lines': ['error', 350], 'max-len': ['error', { code: 1000, comments: 120, ignoreUrls: true }] },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: Object.fromEntries(nodeGlobals.map((name) => [name, 'readonly'])) },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['prisma.config.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      // Leaving columns out of a row is what a rest is for.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // Fastify, pg and Node's events take an async callback where their types speak of void.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      // A function that promises is async even when it does not wait, so that what it throws is a rejection.
      '@typescript-eslint/require-await': 'off',
      // Functions here do not use `this`, and are taken out of objects freely.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['web/src/**/*.tsx'], extends: [hooks.configs.flat.recommended] },
  {
    // Texts are in web/src/texts, by language. Names are the same in all.
    files: ['web/src/**/*.tsx'],
    plugins: { i18next },
    rules: {
      'i18next/no-literal-string': [
        'error',
        {
          mode: 'jsx-only',
          'should-validate-template': true,
          'jsx-attributes': {
            include: ['^(label|title|placeholder|description|alt|aria-label|text|errorTitle|empty)$'],
          },
          'jsx-components': { include: [], exclude: [] },
          callees: { exclude: ['[\\s\\S]*'] },
          words: {
            exclude: ['[^\\p{L}]*', 'Premises', 'GraphiQL', 'Ctrl K', 'limit=3&search=door'].map(
              (words) => new RegExp(`^${words}$`, 'u'),
            ),
          },
        },
      ],
    },
  },
  {
    // What comes back over HTTP or out of SQL has no type, and a test is there to look at it.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // People read what the command line and a first start print; everything else goes to the log.
    files: ['src/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config.ts', 'src/production.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'src/config.ts reads the environment, and hands on what it means.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [factsOfColumns, factsOfModels] }] },
  },
  {
    files: ['src/{resource,schema}/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [factsOfModels, ownDatabase] }] },
  },
  {
    files: ['src/{resource,schema,rest,graphql}/**/*.ts'],
    // Its operations run in no other transaction: none is a POST of REST.
    ignores: ['src/schema/account/**', 'src/schema/webhooks/webhooks.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.property.name=/^(findUnique(OrThrow)?|.transaction)$/][callee.object.property.name!="reader"][callee.object.name!="reader"]',
          message: 'Prisma runs these together with those of other requests, so perhaps in their transaction.',
        },
        {
          selector: ':function[async=true] CallExpression[callee.name=/^(column|lengthOf)$/]',
          message: 'Definitions find columns when the process starts; requests use what they have found.',
        },
      ],
    },
  },
  {
    files: ['schema.graphql'],
    extends: [graphql.configs['flat/schema-recommended']],
    plugins: { '@graphql-eslint': graphql },
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: join(import.meta.dirname, 'schema.graphql') } },
    },
    rules: {
      // Four names begin with their type's, which no-typename-prefix refuses. REST has the same names:
      // Vendor.vendorType, Lease.leaseType, Asset.assetName, Invoice.invoiceNumber. eslint-suppressions.json allows no
      // fifth.
      '@graphql-eslint/strict-id-in-types': [
        'error',
        {
          exceptions: {
            // Types without an id: changes, events, pages of a list, groups of rows, lines of an order, rows and
            // columns of a file, parts of a dashboard or saved query, sums over a company or a lease, what became of
            // a write, and what the API says about itself.
            suffixes: [
              'Connection',
              'Edge',
              'Aggregate',
              'DerivedValues',
              'Key',
              'Line',
              'Analytics',
              'Accounting',
              'Event',
              'Info',
              'WriteResult',
              'ImportColumn',
              'ImportRow',
            ],
            types: [
              'DashboardTile',
              'SavedChart',
              'QuerySchedule',
              'PageInfo',
              'PasswordResetLink',
              'FileUpload',
              'Change',
              'ChangeActor',
              'ChangedRows',
              'ResourceChange',
              'WriteError',
              'ChangeFeed',
              'ListChange',
              'StatusPeriod',
              'NotificationPage',
              'NotificationPreference',
              'ReadNotifications',
              'DayCount',
              'AnalyticsRange',
              'AiUsage',
              'AiUsageRange',
              'AiUsageTotal',
              'AiUsageFeature',
              'AiUsageFeatureMonth',
              'AiUsageMonth',
              'CreatedApiToken',
              'CreatedInvitation',
              'SecurityEventDetail',
              'CurrentApiTokenRateLimit',
              'Snapshot',
              'SnapshotRow',
              'WebhookWithSecret',
              'ReplayedWebhookDeliveries',
            ],
          },
        },
      ],
    },
  },
);
