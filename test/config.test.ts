import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../src/config.ts';

/** The errors of an environment, by variable. */
function problemsOf(env: Record<string, string>): Record<string, string> {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return {};
}

describe('the configuration', () => {
  test('has defaults for all variables, and treats empty ones as unset', () => {
    const defaults = {
      host: 'localhost',
      port: 4000,
      databaseUrl: undefined,
      databasePoolSize: 20,
      preparesStatements: true,
      dataDir: './data',
      demo: true,
      redisUrl: undefined,
      publicUrl: 'http://localhost:4000',
      authSecret: undefined,
      previousAuthSecret: undefined,
      oidc: undefined,
      trustProxy: false,
      maxResponseBytes: 20_000_000,
      maxImportBytes: 100_000_000,
      redirectsToFiles: false,
      maxFileBytes: 2_000_000_000,
      maxCompanyFileBytes: 50_000_000_000,
      inFlight: { total: 1000, perConnection: 16 },
      waiting: { total: 2000, perCaller: 5 },
      changesKeptDays: 365,
      slowOperationMs: 2000,
      webhookAllowedHosts: [],
      shutdownTimeoutMs: 10_000,
      logLevel: 'info',
      startedByNpm: false,
      rateLimits: { token: 100, public: 60, lookup: 600, session: 5000, rows: 100_000, bytes: 10_000_000_000 },
    };
    expect(readConfig({})).toEqual(defaults);
    expect(readConfig({ PORT: '', HOST: ' ', DATABASE_URL: '', PUBLIC_URL: '', LOG_LEVEL: '' })).toEqual(defaults);
  });

  test('reads every variable', () => {
    const env = {
      HOST: '::',
      PORT: '80',
      DATABASE_URL: 'postgresql:///premises?host=/run/postgresql',
      MIGRATION_DATABASE_URL: 'postgresql://owner@localhost/premises',
      DATABASE_REPLICA_URLS: 'postgresql://one/premises, postgresql://two/premises',
      BI_DATABASE_URL: 'postgresql://three/premises',
      DATABASE_POOL_SIZE: '40',
      DATABASE_PREPARE: 'false',
      DATA_DIR: '/var/lib/premises',
      DEMO: 'true',
      REDIS_URL: 'rediss://:secret@redis.example:6380/1',
      PUBLIC_URL: 'https://premises.example/',
      AUTH_SECRET: 'x'.repeat(32),
      AUTH_SECRET_PREVIOUS: 'y'.repeat(32),
      METRICS_TOKEN: 'scraper',
      OTEL_SDK_DISABLED: 'false',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.internal:4318/',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_BSP_SCHEDULE_DELAY: '1000',
      SLOW_OPERATION_MS: '500',
      SMTP_URL: 'smtps://premises:hush@mail.example',
      SMTP_FROM: 'facilities@premises.example',
      OIDC_ISSUER: 'https://id.example/realm',
      OIDC_CLIENT_ID: 'premises',
      OIDC_CLIENT_SECRET: 'hush',
      OIDC_NAME: 'Example ID',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      MAX_RESPONSE_BYTES: '100000',
      MAX_IMPORT_BYTES: '10000',
      FILES_URL: 's3://premises/files',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'hush',
      AWS_SESSION_TOKEN: 'temporary',
      FILES_REDIRECT: 'true',
      FILES_ORIGIN: 'https://files.premises.example/',
      CLAMD_URL: 'unix:///run/clamav/clamd.ctl',
      MAX_FILE_BYTES: '20000',
      MAX_COMPANY_FILE_BYTES: '30000',
      MAX_REQUESTS_IN_FLIGHT: '50',
      MAX_REQUESTS_PER_CONNECTION: '5',
      MAX_REQUESTS_WAITING: '70',
      MAX_REQUESTS_WAITING_PER_TOKEN: '7',
      CHANGES_KEPT_DAYS: '30',
      WEBHOOK_ALLOW_HOSTS: 'CRM.internal, 10.0.0.7',
      SHUTDOWN_GRACE_SECONDS: '30',
      LOG_LEVEL: 'debug',
      RATE_LIMIT_TOKEN_PER_HOUR: '1',
      RATE_LIMIT_PUBLIC_PER_HOUR: '2',
      RATE_LIMIT_LOOKUP_PER_HOUR: '5',
      RATE_LIMIT_SESSION_PER_HOUR: '3',
      RATE_LIMIT_COMPANY_PER_HOUR: '4',
      ROW_LIMIT_COMPANY_PER_HOUR: '6',
      BYTE_LIMIT_LINKS_PER_HOUR: '100000',
    };
    expect(readConfig(env)).toEqual({
      host: '::',
      port: 80,
      databaseUrl: env.DATABASE_URL,
      migrationDatabaseUrl: env.MIGRATION_DATABASE_URL,
      databaseReplicaUrls: ['postgresql://one/premises', 'postgresql://two/premises'],
      biDatabaseUrl: env.BI_DATABASE_URL,
      databasePoolSize: 40,
      preparesStatements: false,
      dataDir: '/var/lib/premises',
      demo: true,
      redisUrl: env.REDIS_URL,
      publicUrl: 'https://premises.example',
      authSecret: env.AUTH_SECRET,
      previousAuthSecret: env.AUTH_SECRET_PREVIOUS,
      metricsToken: 'scraper',
      tracing: {
        url: 'http://collector.internal:4318/v1/traces',
        protocol: 'http/json',
        sampler: 'parentbased_traceidratio',
        ratio: 0.25,
        delayMs: 1000,
      },
      slowOperationMs: 500,
      smtp: { url: env.SMTP_URL, from: 'facilities@premises.example' },
      oidc: { issuer: 'https://id.example/realm', clientId: 'premises', clientSecret: 'hush', name: 'Example ID' },
      trustProxy: '10.0.0.0/8,::1',
      maxResponseBytes: 100_000,
      maxImportBytes: 10_000,
      filesUrl: 's3://premises/files',
      redirectsToFiles: true,
      filesOrigin: 'https://files.premises.example',
      clamdUrl: 'unix:///run/clamav/clamd.ctl',
      s3Keys: { accessKeyId: 'id', secretAccessKey: 'hush', sessionToken: 'temporary' },
      maxFileBytes: 20_000,
      maxCompanyFileBytes: 30_000,
      inFlight: { total: 50, perConnection: 5 },
      waiting: { total: 70, perCaller: 7 },
      changesKeptDays: 30,
      webhookAllowedHosts: ['crm.internal', '10.0.0.7'],
      shutdownTimeoutMs: 30_000,
      logLevel: 'debug',
      startedByNpm: false,
      rateLimits: { token: 1, public: 2, lookup: 5, session: 3, company: 4, rows: 6, bytes: 100_000 },
    });
    expect(readConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
    const { SMTP_URL, PUBLIC_URL } = env;
    expect(readConfig({ SMTP_URL, PUBLIC_URL }).smtp?.from).toBe('premises@premises.example');
  });

  test('lists all invalid variables without their values', () => {
    const env = {
      PORT: '65536',
      DATABASE_URL: 'mysql://admin:hunter2@db/premises',
      MIGRATION_DATABASE_URL: 'hunter2',
      REDIS_URL: 'redis://:hunter2@[broken',
      SMTP_URL: 'https://hunter2@mail.example',
      SMTP_FROM: 'hunter2',
      PUBLIC_URL: 'premises.example',
      AUTH_SECRET: 'hunter2',
      METRICS_TOKEN: 'hunter2 hunter2',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'hunter2',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://hunter2',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'hunter2',
      OTEL_TRACES_EXPORTER: 'hunter2',
      OTEL_TRACES_SAMPLER: 'hunter2',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
      OTEL_BSP_SCHEDULE_DELAY: 'hunter2',
      SLOW_OPERATION_MS: '-1',
      OIDC_ISSUER: 'hunter2.example',
      OIDC_CLIENT_ID: '',
      OIDC_CLIENT_SECRET: '',
      TRUST_PROXY: 'hunter2',
      MAX_RESPONSE_BYTES: '99999',
      MAX_IMPORT_BYTES: '9999',
      FILES_URL: 'hunter2',
      FILES_REDIRECT: 'hunter2',
      FILES_ORIGIN: 'https://files.premises.example/hunter2',
      CLAMD_URL: 'http://hunter2:3310',
      MAX_FILE_BYTES: '9999',
      MAX_COMPANY_FILE_BYTES: '9999',
      MAX_REQUESTS_IN_FLIGHT: '9',
      MAX_REQUESTS_PER_CONNECTION: '0',
      SHUTDOWN_GRACE_SECONDS: '3601',
      LOG_LEVEL: 'loud',
      RATE_LIMIT_TOKEN_PER_HOUR: '0',
      RATE_LIMIT_PUBLIC_PER_HOUR: 'many',
      RATE_LIMIT_SESSION_PER_HOUR: '1.5',
      RATE_LIMIT_COMPANY_PER_HOUR: '-1',
      ROW_LIMIT_COMPANY_PER_HOUR: '0',
      BYTE_LIMIT_LINKS_PER_HOUR: '99999',
    };
    expect(Object.keys(problemsOf(env)).sort()).toEqual(Object.keys(env).sort());
    const { message } = new ConfigError(problemsOf(env));
    for (const name of Object.keys(env)) expect(message).toContain(name);
    expect(message).not.toContain('hunter2');
  });

  test('sends traces only where there is a collector, and nothing turns them off', () => {
    const url = 'https://otel.example/traces?key=1';
    const on = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other' };
    const facts = { protocol: 'http/protobuf', sampler: 'parentbased_always_on', ratio: 1, delayMs: 5000 };
    expect(readConfig(on).tracing).toEqual({ url, ...facts });
    expect(readConfig({ ...on, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }).tracing?.protocol).toBe('http/json');
    for (const off of [{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none' }])
      expect(readConfig({ ...on, ...off }).tracing).toBeUndefined();
    expect(readConfig({ OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBeUndefined();
    expect(readConfig({ SLOW_OPERATION_MS: '0' }).slowOperationMs).toBeUndefined();
  });

  test('takes a Redis, or Sentinels and the name of the servers', () => {
    const sentinels = 'redis+sentinel://ann:hunter2@one:26379,two,[::1]:26380/limits';
    for (const url of [
      sentinels,
      `${sentinels}/2?sentinelPassword=x`,
      sentinels.replace('redis', 'rediss'),
      'redis://one',
    ])
      expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url);
    const wrong = [
      'redis+sentinel://one',
      'redis+sentinel://one/',
      'redis+sentinel://one,two:x/limits',
      `${sentinels}/x`,
    ];
    for (const url of [...wrong, 'redis://one,two', 'http://one'])
      expect(Object.keys(problemsOf({ REDIS_URL: url }))).toEqual(['REDIS_URL']);
  });

  test('takes a role for migrations only where there is a server', () => {
    expect(problemsOf({ MIGRATION_DATABASE_URL: 'postgresql://localhost/premises' })).toEqual({
      DATABASE_URL: 'is required when MIGRATION_DATABASE_URL is set',
    });
  });

  test('takes a bucket of S3, and both keys or none', () => {
    const good = ['s3://bucket', 's3://bucket/a/b?endpoint=https://s3.example:9000&region=eu&path_style=false'];
    for (const url of good) expect(readConfig({ FILES_URL: url }).filesUrl).toBe(url);
    const bad = [
      's3://',
      's3://Bucket_',
      's3://id:hunter2@bucket',
      's3://bucket?secret=hunter2',
      's3://bucket?endpoint=hunter2',
      's3://bucket?endpoint=https://id:hunter2@host',
      's3://bucket?path_style=1',
      'https://bucket.s3.example',
    ];
    for (const url of bad) {
      expect({ url, problems: problemsOf({ FILES_URL: url }) }).toEqual({
        url,
        problems: { FILES_URL: expect.any(String) },
      });
      expect(new ConfigError(problemsOf({ FILES_URL: url })).message).not.toContain('hunter2');
    }
    const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'hush' };
    expect(readConfig(keys).s3Keys).toEqual({ accessKeyId: 'id', secretAccessKey: 'hush', sessionToken: undefined });
    for (const name of Object.keys(keys)) expect(Object.keys(problemsOf({ ...keys, [name]: '' }))).toEqual([name]);
  });

  test('takes another host for contents of files, and lets S3 alone send them', () => {
    const PUBLIC_URL = 'https://premises.example';
    expect(problemsOf({ PUBLIC_URL, FILES_ORIGIN: 'https://premises.example:8443' })).toEqual({
      FILES_ORIGIN: 'must be another host than that of PUBLIC_URL',
    });
    expect(Object.keys(problemsOf({ FILES_REDIRECT: 'true' }))).toEqual(['FILES_REDIRECT']);
    expect(Object.keys(problemsOf({ FILES_REDIRECT: 'true', FILES_URL: 'file:///srv/files' }))).toEqual([
      'FILES_REDIRECT',
    ]);
  });

  test('requires all variables of the OpenID provider or none', () => {
    const whole = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'premises', OIDC_CLIENT_SECRET: 'hush' };
    expect(problemsOf(whole)).toEqual({});
    for (const name of Object.keys(whole)) expect(Object.keys(problemsOf({ ...whole, [name]: '' }))).toEqual([name]);
    expect(problemsOf({ OIDC_CLIENT_ID: 'premises' })).toEqual({
      OIDC_ISSUER: 'is required when OIDC_CLIENT_ID is set',
      OIDC_CLIENT_SECRET: 'is required when OIDC_CLIENT_ID is set',
    });
  });

  test.each([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['loopback', 'loopback'],
    ['192.168.1.1, fd00::/8', '192.168.1.1,fd00::/8'],
  ])('trusts the proxies of TRUST_PROXY=%s', (text, trusted) => {
    expect(readConfig({ TRUST_PROXY: text }).trustProxy).toBe(trusted);
  });

  test.each(['yes', '10.0.0.0/33', '::1/129', '10.0.0.1,', '1.2.3', '10.0.0.0/', '10.0.0.0/8/8', '-1'])(
    'rejects TRUST_PROXY=%s',
    (text) => expect(Object.keys(problemsOf({ TRUST_PROXY: text }))).toEqual(['TRUST_PROXY']),
  );
});
