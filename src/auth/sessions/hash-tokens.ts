import { createHash } from 'node:crypto';
import type { DBAdapter, DBAdapterInstance, Where } from 'better-auth/types';

/** The SHA-256 of a session's token, in hexadecimal, as stored. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex');

type Values = Record<string, unknown>;

/**
 * Makes better-auth's database adapter store the SHA-256 of the tokens of sessions in their place, so that nobody can
 * sign in with what the database contains. better-auth itself continues to see the tokens.
 */
export const hashTokens =
  (open: DBAdapterInstance): DBAdapterInstance =>
  (options) => {
    const adapter = open(options);
    return {
      ...hashing(adapter),
      transaction: (run) => adapter.transaction((transaction) => run(hashing(transaction))),
    };
  };

/** The methods of an adapter, with hashed tokens in what they send and the tokens in what they return. */
function hashing<Adapter extends Omit<DBAdapter, 'transaction'>>(adapter: Adapter): Adapter {
  return {
    ...adapter,
    create: async (query) =>
      withToken(await adapter.create(hashTokenOf(query)), query.model === 'session' ? query.data : {}),
    findOne: async (query) => withToken(await adapter.findOne(hashTokenOf(query)), tokenIn(query)),
    findMany: (query) => adapter.findMany(hashTokenOf(query)),
    count: (query) => adapter.count(hashTokenOf(query)),
    update: async (query) => withToken(await adapter.update(hashTokenOf(query)), tokenIn(query)),
    updateMany: (query) => adapter.updateMany(hashTokenOf(query)),
    delete: (query) => adapter.delete(hashTokenOf(query)),
    deleteMany: (query) => adapter.deleteMany(hashTokenOf(query)),
    consumeOne: async (query) => withToken(await adapter.consumeOne(hashTokenOf(query)), tokenIn(query)),
  };
}

interface Query {
  readonly model: string;
  readonly where?: Where[];
  readonly data?: Values;
  readonly update?: Values;
}

/** A query with the hash in place of the token of a session. */
function hashTokenOf<Q extends Query>(query: Q): Q {
  if (query.model !== 'session') return query;
  const { where, data, update } = query;
  return {
    ...query,
    ...(where && {
      where: where.map((each) => (each.field === 'token' ? { ...each, value: hashAll(each.value) } : each)),
    }),
    ...(data && { data: hashIn(data) }),
    ...(update && { update: hashIn(update) }),
  };
}

const hashIn = (values: Values): Values =>
  typeof values['token'] === 'string' ? { ...values, token: tokenHash(values['token']) } : values;

function hashAll(value: Where['value']): Where['value'] {
  if (Array.isArray(value)) return value.map((each) => tokenHash(String(each)));
  return typeof value === 'string' ? tokenHash(value) : value;
}

/** The token by which a query finds its session, if it does. */
const tokenIn = ({ model, where = [] }: Query): Values => {
  const value = model === 'session' && where.find(({ field }) => field === 'token')?.value;
  return typeof value === 'string' ? { token: value } : {};
};

/** A row with the token that it was created with or found by, in place of the hash. */
const withToken = <Row>(row: Row, { token }: Values): Row =>
  row && typeof token === 'string' ? { ...row, token } : row;
