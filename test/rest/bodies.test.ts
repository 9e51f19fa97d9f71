import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { Route } from '../../src/rest/routes.ts';
import { routes } from '../support/api.ts';
import type { Reply, Row } from '../support/client.ts';
import { type Field, inputFields, ofMany, rootField, share, shownFields } from '../support/resources.ts';
import { fill, mayBeLeftOut, Rows } from '../support/rows.ts';
import { takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
});
afterAll(() => service.close());

// A text's maximum length depends on the field's name.
const naming = ['name', 'title', 'asset_name', 'company_name', 'question_text'];
const long = ['description', 'notes', 'content', 'comment'];
const others: Record<string, number> = { external_source: 100, external_id: 200 };
const longest = (name: string) => others[name] ?? (naming.includes(name) ? 200 : long.includes(name) ? 20_000 : 500);
/** Texts with a format that cannot be padded. */
const formed = /email|url$|^color$|ip_address/;
/** Numbers that may be negative. */
const signed = ['latitude', 'longitude'];

const wrong: Record<string, unknown[]> = {
  String: [7, true, {}, ['x']],
  ID: ['x', '', 7, {}],
  Int: ['1', 1.5, 2 ** 31, true, [1]],
  Float: ['1.5', true, 1e300, {}],
  Boolean: ['true', 1, {}],
  Date: ['2026-02-30', '2026-2-3', 20260203, '2026-02-03T00:00:00Z', ''],
  DateTime: ['2026-02-30T00:00:00Z', 'yesterday', 0, ''],
};
/** Invalid values of a field. */
const unfit = ({ type, list }: Field): unknown[] =>
  list ? [{}, 'x', 7] : (wrong[type.name] ?? ['nonsense', 'PENDING', 7]);

const withBody = routes()
  .filter(
    ({ method, operation }) =>
      takesScope(operation.access) &&
      method !== 'GET' &&
      // Their rows have the bodies of one row.
      !ofMany.includes(operation.action) &&
      inputFields(rootField(operation.field)).length > 0,
  )
  .map((route, n) => [String(route.method), route.path, route, n] as const);

describe.each(withBody)('%s %s', (method, path, route, n) => {
  const { field, type } = route.operation;
  const fields = inputFields(rootField(field));
  const texts = fields.filter(
    ({ rest, type, target, list }) => type.name === 'String' && !target && !list && !formed.test(rest),
  );
  const required = fields.filter((field) => field.required).map(({ rest }) => rest);
  let address: string;
  let valid: Row;

  beforeAll(async () => {
    address = fill(path, await idsOf(route));
    valid = await rows.body(field);
  });
  const send = (body: unknown) => rows.client.request(method, address, { body });
  const fault = expect.stringMatching(/^\S.{3,}/);
  /** Expects a 422 whose details name exactly these fields. */
  function expectFieldErrors(reply: Reply, names: readonly string[]): Record<string, string> {
    expect({ status: reply.status, code: reply.error.code, fields: Object.keys(reply.details).sort() }).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      fields: [...names].sort(),
    });
    for (const name of names) expect(reply.details[name]).toEqual(fault);
    return reply.details;
  }

  /** Expects that a body is valid; a failure shows what is not. */
  function expectSuccess(reply: Reply): void {
    const error = reply.status < 300 ? null : reply.error;
    expect([reply.status, error]).toEqual([method === 'POST' ? 201 : 200, null]);
  }

  test('requires a JSON object', async () => {
    for (const body of share(['', '{', 'null', '[]', '"x"', '7', '{"a":1}{}'], n)) {
      expect({ body, reply: await send(body) }).toMatchObject({
        body,
        reply: { status: 400, error: { code: 'BAD_REQUEST' } },
      });
    }
    const form = await rows.client.request(method, address, {
      body: 'title=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(form).toMatchObject({ status: 415, error: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });

  test('rejects an unknown field, and suggests a known one', async () => {
    const known = fields.map(({ rest }) => rest).sort((a, b) => b.length - a.length)[0] ?? '';
    const details = expectFieldErrors(await send({ ...valid, [`${known}x`]: 'x', __typename: 'x' }), [
      `${known}x`,
      '__typename',
    ]);
    expect(details[`${known}x`]).toContain(known);
    // A property of every JavaScript object.
    expectFieldErrors(
      await send(
        JSON.stringify(valid).replace(/\}$/, `${Object.keys(valid).length ? ',' : ''}"__proto__":1,"constructor":1}`),
      ),
      ['__proto__', 'constructor'],
    );
  });

  test('rejects read-only fields', async () => {
    const readOnly = shownFields(type)
      .map(({ rest }) => rest)
      .filter((name) => !fields.some(({ rest }) => rest === name));
    const row = Object.fromEntries(readOnly.map((name) => [name, null]));
    for (const message of Object.values(expectFieldErrors(await send({ ...valid, ...row }), readOnly)))
      expect(message).toContain('read-only');
  });

  test('rejects invalid values, and names each field', async () => {
    const names = fields.map(({ rest }) => rest);
    for (let n = 0; n < Math.max(...fields.map((field) => unfit(field).length)); n++) {
      const body = Object.fromEntries(fields.map((field) => [field.rest, unfit(field)[n % unfit(field).length]]));
      expectFieldErrors(await send({ ...valid, ...body }), names);
    }
    const [one] = fields;
    if (one) expectFieldErrors(await send({ ...valid, [one.rest]: unfit(one)[0] }), [one.rest]);
  });

  test('rejects null for required fields, and negative numbers', async () => {
    const never = fields
      .filter((field) => field.required || (method === 'PATCH' && field.facts?.required))
      .map(({ rest }) => rest);
    if (never.length > 0)
      expectFieldErrors(await send({ ...valid, ...Object.fromEntries(never.map((name) => [name, null])) }), never);
    const numbers = fields
      .filter(({ rest, type }) => ['Int', 'Float'].includes(type.name) && !signed.includes(rest))
      .map(({ rest }) => rest);
    if (numbers.length > 0)
      expectFieldErrors(await send({ ...valid, ...Object.fromEntries(numbers.map((name) => [name, -1])) }), numbers);
  });

  if (method === 'POST' || method === 'PUT') {
    test('treats null for an optional field like leaving it out', async () => {
      const body = await rows.body(field);
      const optional = fields.filter((each) => mayBeLeftOut(type, each) && !(each.rest in body));
      const reply = await send({ ...body, ...Object.fromEntries(optional.map(({ rest }) => [rest, null])) });
      expectSuccess(reply);
      const filled = optional
        .filter(({ rest, facts }) => facts?.required && rest in reply.row)
        .map(({ rest }) => reply.row[rest]);
      expect(filled).not.toContain(null);
    });
  }

  test('reports all errors at once', async () => {
    // A rule reports errors only for set values.
    const absent = fields.slice(0, 2).filter((each) => each.required || mayBeLeftOut(type, each));
    const present = fields.filter((each) => !absent.includes(each));
    const body = Object.fromEntries(present.map((each) => [each.rest, unfit(each)[0]]));
    const missing = absent.flatMap(({ rest }) => (required.includes(rest) ? [rest] : []));
    expectFieldErrors(await send({ ...body, nonsense: 1 }), [...missing, ...Object.keys(body), 'nonsense']);
    if (required.length > 0) expectFieldErrors(await send({}), required);
  });

  test('reports wrong types and invalid values together', async () => {
    const [text] = texts;
    const [other] = fields.filter((field) => field !== text);
    if (!text || !other) return;
    expectFieldErrors(await send({ ...valid, [text.rest]: 'a\0b', [other.rest]: unfit(other)[0] }), [
      text.rest,
      other.rest,
    ]);
  });

  if (texts.length === 0) return;

  test('limits the length of texts', async () => {
    // Rows of two types can have one model, whose external ids are unique.
    const start = `${method}${n}`;
    const text = (length: number, character: string) => start + character.repeat(length - start.length);
    const sized = (extra: number, character: string) =>
      Object.fromEntries(texts.map(({ rest }) => [rest, text(longest(rest) + extra, character)]));
    for (const character of share(['x', '𝄞'], n)) {
      expectFieldErrors(await send({ ...valid, ...sized(1, character) }), Object.keys(sized(1, character)));
      // A new row each time, as unique values can be set once.
      const body = { ...(await rows.body(field)), ...sized(0, character) };
      const reply = await rows.client.request(method, fill(path, await idsOf(route)), { body });
      expectSuccess(reply);
      expect(reply.row).toMatchObject(sized(0, character));
    }
  });

  test('removes the error of binary fractions from numbers, and rejects more decimals', async () => {
    const numbers = fields.filter(({ type, facts }) => type.name === 'Float' && (facts?.scale ?? 0) > 1);
    for (const { rest, facts } of numbers) {
      // Without lines there is no sum to differ from.
      const body = { ...(await rows.body(field)), [rest]: 0.1 + 0.2 };
      const reply = await rows.client.request(method, fill(path, await idsOf(route)), {
        body,
        headers: { prefer: 'return=representation' },
      });
      expectSuccess(reply);
      expect(reply.row).toMatchObject({ [rest]: 0.3 });
      expectFieldErrors(await send({ ...valid, [rest]: 0.3 + 10 ** -(facts?.scale ?? 0) / 2 }), [rest]);
    }
  });

  test('trims texts, and rejects NUL and invalid Unicode', async () => {
    const fresh = await rows.body(field);
    const padded = Object.fromEntries(texts.map(({ rest }) => [rest, ` \n\t${rest} of ${method} ${path}  `]));
    const reply = await send({ ...fresh, ...padded });
    expectSuccess(reply);
    expect(reply.row).toMatchObject(
      Object.fromEntries(Object.entries(padded).map(([name, value]) => [name, value.trim()])),
    );
    for (const bad of share(['a\0b', 'a\ud800b'], n)) {
      expectFieldErrors(
        await send({ ...valid, ...Object.fromEntries(texts.map(({ rest }) => [rest, bad])) }),
        texts.map(({ rest }) => rest),
      );
    }
    const named = texts.filter(({ facts, required }) => facts?.required || required).map(({ rest }) => rest);
    if (named.length > 0)
      expectFieldErrors(
        await send({ ...valid, ...Object.fromEntries(named.map((name) => [name, ' \t\u200b'])) }),
        named,
      );
  });
});

/** The ids in a route's path. */
async function idsOf({ path, operation }: Route): Promise<Row> {
  return path.endsWith('/:id')
    ? { ...(await rows.parents(path)), id: (await rows.variables(rootField(operation.field)))['id'] }
    : rows.parents(path);
}

test.each([
  ['{"name":"Sage","name":"Sea"}', '"name"'],
  ['{"name":"Sage","n\\u0061me":"Sea"}', '"name"'],
  ['{"name":"Sage","":1,"brand":{"":[{"a\\"":1},{"a\\"":1, "b" :"\\\\","a\\"" :2}]}}', '"a\\""'],
])('a body in which an object has a name twice is refused: %s', async (body, name) => {
  const { status, error } = await rows.client.post('/paints', body);
  expect([status, error?.['message']]).toEqual([400, `The body has an object with the duplicate name ${name}.`]);
});

test('a body must not be larger than 1 MiB', async () => {
  const title = (length: number) => JSON.stringify({ title: 'x'.repeat(length) });
  const envelope = title(0).length;
  expect((await rows.client.post('/service-requests', title(2 ** 20 - envelope))).status).toBe(422);
  expect(await rows.client.post('/service-requests', title(2 ** 20 - envelope + 1))).toMatchObject({
    status: 413,
    error: { code: 'PAYLOAD_TOO_LARGE' },
  });
});
