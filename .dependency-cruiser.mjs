/**
 * The layers of src/, highest first. A module imports from its own layer and lower ones. `npm run generate`
 * draws them in docs/architecture.md.
 */
const layers = [
  ['server', 'cli', 'migrate'],
  ['start'],
  ['app', 'background'],
  ['graphql', 'rest'],
  ['pages'],
  ['seed'],
  ['schema'],
  ['import', 'bi'],
  ['resource', 'jobs', 'idempotency'],
  ['context'],
  ['auth', 'metrics'],
  ['events', 'mail', 'files'],
  ['http', 'database'],
  ['fields'],
  ['input'],
  ['errors'],
  ['tracing'],
  ['names', 'formats', 'calendar', 'config', 'production', 'root', 'log', 'limits', 'json', 'redis', 'store-urls'],
];

/** Matches the modules of these layers: folders of src/ and files directly in it. */
const modulesOf = (names) => `^src/(${names.join('|')})(/|\\.ts$)`;

const upwardImports = layers.slice(1).map((names, index) => ({
  name: `no-import-upwards-from-${names[0]}`,
  comment: `${names.join(', ')}: imports only from its own layer and lower ones`,
  severity: 'error',
  from: { path: modulesOf(names) },
  to: { path: modulesOf(layers.slice(0, index + 1).flat()) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Modules that import each other cannot be understood, tested or loaded one at a time.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...upwardImports,
    {
      name: 'graphql-and-rest-apart',
      comment: 'The two APIs share the schema and src/http, and do not know each other.',
      severity: 'error',
      from: { path: '^src/(graphql|rest)/' },
      to: { path: '^src/(graphql|rest)/', pathNot: '^src/$1/' },
    },
    {
      name: 'kit-by-its-index',
      comment:
        'src/resource/index.ts is what the rest of the service may use of the kit. Unit tests test single parts of it.',
      severity: 'error',
      from: { path: '^(src|test|bench|scripts)/', pathNot: '^(src/resource|test/unit)/' },
      to: { path: '^src/resource/', pathNot: '^src/resource/index\\.ts$' },
    },
    {
      name: 'pothos-in-one-room',
      comment:
        'src/resource/schema/ builds the schema with Pothos. What answers requests reads values that it has made.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(resource/schema|database/generated)/' },
      to: { path: 'node_modules/@pothos/' },
    },
    {
      name: 'requests-without-the-kit',
      comment: 'The kit of a schema ends with its build: what reads, writes and decides takes the registry instead.',
      severity: 'error',
      from: { path: '^src/resource/(access|aggregate|filter|read|registry|write)/' },
      to: { path: '^src/resource/schema/' },
    },
    {
      name: 'facts-make-definitions',
      comment:
        'The models of the Prisma schema are constants of the process. Definitions and the storage of an API are made of them; what answers a request asks its resource, its fields or its storage.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(resource/(definition/|index\\.ts|registry/storage\\.ts|schema/pothos-client\\.ts)|database/(read/(schema-models|statement|reader)|write/writer|tenant|unnormalized)\\.ts$)',
      },
      to: { path: '^src/(resource/definition/facts|database/read/schema-models)\\.ts$' },
    },
    {
      name: 'sofa-only-generates',
      comment: 'sofa-api generates the documents of REST at start; it takes no part in answering a request.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/rest/generate\\.ts$' },
      to: { path: 'node_modules/(sofa-api|fets|@whatwg-node/[^/]+)/' },
    },
    {
      name: 'database-and-http-apart',
      comment: 'They share a layer, but the database does not know of HTTP, and HTTP reads and writes no rows.',
      severity: 'error',
      from: { path: '^src/(database|http)/' },
      to: { path: '^src/(database|http)/', pathNot: '^src/$1/' },
    },
    {
      name: 'no-own-database',
      comment:
        'Resources get the database from the context. Of the modules allowed here only index.ts can open one, which ESLint forbids.',
      severity: 'error',
      from: { path: '^src/(schema|resource)/' },
      to: {
        path: '^src/database/|node_modules/(pg|@electric-sql)/',
        pathNot: '^src/database/(index\\.ts|stored-field\\.ts|tables\\.ts|tenant\\.ts|read/|generated/)',
      },
    },
    {
      name: 'every-module-has-a-layer',
      comment: 'A new folder or file of src/ belongs into a layer of this configuration.',
      severity: 'error',
      from: { path: '^src/', pathNot: modulesOf(layers.flat()) },
      to: {},
    },
    {
      name: 'src-stands-alone',
      comment: 'The service needs neither its tests nor its tools, and serves the built pages as files.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|scripts|web|prisma)/' },
    },
    {
      name: 'pages-stand-alone',
      comment:
        'The pages reach the service over HTTP only. Both have the types of bodies under /auth, days, and the words for kinds of notifications, which somebody without a session reads too.',
      severity: 'error',
      from: { path: '^web/src/' },
      to: {
        path: '^(src|test|bench|scripts|prisma)/',
        pathNot: '^src/(auth/sessions/bodies|calendar|pages/addresses|schema/notifications/kinds)\\.ts$',
      },
    },
    {
      name: 'guests-load-little',
      comment: 'The pages that need no session load neither the router nor what surrounds the pages of people.',
      severity: 'error',
      from: { path: '^web/src/guests/' },
      to: { path: '^web/src/(app/(router|Shell|Link|Navigation)|console|pages|places)', reachable: true },
    },
    {
      name: 'types-of-pages-stand-alone',
      comment: 'What the pages import of the service brings nothing else of it into them.',
      severity: 'error',
      from: { path: '^src/(auth/sessions/bodies|calendar|pages/addresses|schema/notifications/kinds)\\.ts$' },
      to: { path: '.' },
    },
    {
      name: 'served-packages-are-dependencies',
      comment: 'What is served is audited and listed as the dependencies, although the build bundles most of them.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-unlisted-dependencies',
      comment: 'A package that another package happens to bring may leave with it.',
      severity: 'error',
      // The queries there import @graphql-typed-document-node/core, which has types alone and does not resolve.
      from: { path: '^(src|web/src)/', pathNot: '^web/src/api/generated/' },
      // web/vite.config.ts makes the modules graphiql:…, and Vite the address of a file that is imported with ?url.
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'], pathNot: '^graphiql:|[?]url$' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/database/generated/'] },
    exclude: { path: '^test/dist/' }, // what is compiled of the modules that tests share
    tsConfig: { fileName: 'tsconfig.json' },
    // Type imports count too: they couple modules as value imports do.
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
