import { TestEnvironment } from 'jest-environment-node';

/**
 * Node's environment, with a way to modules that Node itself loaded. They outlive the test file, so that the schema, the
 * REST operations and the embedded database's program are made once a worker.
 */
export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.loadByNode = (url) => import(url);
    // Tests go by the service's clock, also when they set it, and its errors are errors to them.
    Object.defineProperty(this.global, 'Date', { get: () => Date, configurable: true });
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: config.projectConfig, global: globalThis });
    this.global.Error = Error;
  }
}
