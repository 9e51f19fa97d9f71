import asyncHooks from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

const { AsyncLocalStorage } = asyncHooks;

/**
 * Node's environment, with a way to modules that Node itself loaded. They outlive the test file, so that the schema,
 * the REST operations and the embedded database's program are made once a worker.
 */
export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.loadByNode = (url) => import(url);
    // Tests go by the service's clock, also when they set it, and its errors are errors to them.
    Object.defineProperty(this.global, 'Date', { get: () => Date, configurable: true });
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: config.projectConfig, global: globalThis });
    this.global.Error = Error;
    // Jest makes a storage for each file and leaves it behind: before Node 24, every promise of all later files pays
    // for it.
    const storages = (this.storages = []);
    asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
      constructor(...options) {
        super(...options);
        storages.push(this);
      }
    };
  }

  async setup() {
    await super.setup();
    // Jest records a hundred calls for each error, and both `expect` and GraphQL make many that nobody reads.
    Error.stackTraceLimit = 20;
  }

  async teardown() {
    for (const storage of this.storages) storage.disable();
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    await super.teardown();
  }
}
