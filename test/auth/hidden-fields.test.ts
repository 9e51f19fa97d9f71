// The correct answer of a training question is null to those whose role may not write questions, and nothing tells it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { WebhookService } from '../support/webhooks.ts';
import { callersOf, type RoleCallers } from './roles.ts';

let hooks: WebhookService;
let callers: RoleCallers;
let readers: readonly Client[];
let path: string;
let id: string;
let programId: string;
const answer = 'Secretword';
beforeAll(async () => {
  hooks = await WebhookService.start();
  ({ callers } = await callersOf(hooks.service, hooks.tenant));
  readers = [callers.executive, callers.member];
  programId = String((await callers.admin.post('/training', { title: 'Ladders' })).row['id']);
  path = `/training/${programId}/questions`;
  const body = { question_text: 'Which?', question_type: 'text', correct_answer: answer };
  id = String((await callers.admin.post(path, body)).row['id']);
  await callers.admin.patch(`${path}/${id}`, { correct_answer: `${answer} 2` });
  await callers.admin.patch(`${path}/${id}`, { correct_answer: answer });
});
afterAll(() => hooks.close());

/** A query of the questions. */
const query = (by: Client, args: string, selection = 'nodes { id correctAnswer }') =>
  by.graphql<{ trainingQuestions: { nodes: Row[] } }>(
    `query ($program: ID!) { trainingQuestions(trainingProgramId: $program, ${args}) { ${selection} } }`,
    { program: programId },
  );

test('it is null wherever a question is read', async () => {
  await waitForOlderTransactions(hooks.service.database);
  for (const by of readers) {
    expect((await by.get(`${path}/${id}`)).row).toMatchObject({ id, question_text: 'Which?', correct_answer: null });
    expect((await by.get(path)).rows).toMatchObject([{ id, correct_answer: null }]);
    const shapes = [
      await by.get('/training/questions'),
      await by.get(path, {}, { accept: 'text/csv' }),
      await by.get(`/training/${programId}`, { include: 'questions' }),
      await by.get(`${path}/${id}/history`),
      await by.get('/changes'),
      await by.get('/snapshot'),
    ].map(({ status, text }) => ({ status, text }));
    for (const { status, text } of shapes) expect([status, text.includes(answer)]).toEqual([200, false]);
    for (const selection of [
      'nodes { id correctAnswer }',
      'nodes { x: correctAnswer etag history { nodes { fields before after } } }',
      'edges { node { ... on TrainingQuestion { correctAnswer } } }',
    ]) {
      const { data, errors } = await query(by, 'first: 5', selection);
      expect({ errors, text: JSON.stringify(data) }).toEqual({ errors: [], text: expect.not.stringContaining(answer) });
    }
    const nested = `query { trainingPrograms { nodes { questions { nodes { correctAnswer } } } } }`;
    expect((await by.graphql(nested)).data).toEqual({
      trainingPrograms: { nodes: [{ questions: { nodes: [{ correctAnswer: null }] } }] },
    });
  }
  expect((await callers.admin.get(`${path}/${id}`)).row).toMatchObject({ correct_answer: answer });
  expect((await callers.admin.get(path)).rows).toMatchObject([{ correct_answer: answer }]);
  expect((await query(callers.admin, 'first: 5')).data.trainingQuestions.nodes).toMatchObject([
    { correctAnswer: answer },
  ]);
});

test('it is found by no search, filter, order or group', async () => {
  const refused = { errors: [{ extensions: { code: 'INSUFFICIENT_SCOPE' } }] };
  for (const by of readers) {
    expect((await by.get(path, { search: answer })).rows).toEqual([]);
    expect((await by.get(path, { search: 'Which' })).rows).toHaveLength(1);
    expect((await query(by, `search: "${answer}"`)).data.trainingQuestions.nodes).toEqual([]);
    for (const parameters of [
      { correct_answer: answer },
      { 'correct_answer[contains]': 'Secret' },
      { 'correct_answer[ne]': answer },
      { filter: JSON.stringify({ correct_answer: { eq: answer } }) },
      { filter: JSON.stringify({ not: { or: [{ correct_answer: { is_null: true } }] } }) },
      { sort: 'correct_answer' },
      { sort: '-correct_answer,question_text' },
    ] as Record<string, string>[])
      expect({ parameters, status: (await by.get(path, parameters)).status }).toEqual({ parameters, status: 403 });
    for (const args of [
      'filter: { correctAnswer: { startsWith: "S" } }',
      'filter: { not: { correctAnswer: { isNull: true } } }',
      'orderBy: [{ field: CORRECT_ANSWER }]',
      'sort: CORRECT_ANSWER',
    ])
      expect(await query(by, args)).toMatchObject(refused);
    for (const selection of ['key { correctAnswer } count', 'countDistinct(of: CORRECT_ANSWER)'])
      expect(await query(by, 'first: 1', `aggregates { ${selection} }`)).toMatchObject(refused);
    for (const filter of ['some', 'none', 'every'])
      expect(
        await by.graphql(
          `{ trainingPrograms(filter: { questions: { ${filter}: { correctAnswer: { eq: "${answer}" } } } }) { totalCount } }`,
        ),
      ).toMatchObject(refused);
  }
  expect((await callers.admin.get(path, { correct_answer: answer })).rows).toHaveLength(1);
  expect((await callers.admin.get(path, { search: answer })).rows).toHaveLength(1);
});

test('the ETag is another than that of those who read it, and does not change with it', async () => {
  const tagOf = async (by: Client) => (await by.get(`${path}/${id}`)).headers.get('etag');
  const before = await tagOf(callers.member);
  expect(before).not.toBe(await tagOf(callers.admin));
  await hooks.sql('UPDATE training_questions SET correct_answer = $1 WHERE id = $2', 'Otherword', id);
  expect(await tagOf(callers.member)).toBe(before);
  await hooks.sql('UPDATE training_questions SET correct_answer = $1 WHERE id = $2', answer, id);
});

test('webhooks of such a person neither have it nor can be filtered by it', async () => {
  const { member } = hooks.people;
  const resources = ['TRAINING_QUESTIONS'];
  const { errors } = await hooks.tryCreate(member, { resources, filter: '{ correctAnswer: { eq: "A" } }' });
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_ERROR', details: { filter: expect.any(String) } } }]);
  await hooks.create(member, { resources });
  await hooks.create(member, { resources, selection: '{ questionText correctAnswer }' });
  await callers.admin.patch(`${path}/${id}`, { correct_answer: `${answer} 3`, points: 3 });
  await hooks.deliverAll();
  expect(hooks.receiver.received).toHaveLength(2);
  const [whole] = hooks.receiver.received.filter(({ body }) => body.includes('"after"'));
  expect(whole?.message).toMatchObject({ data: { fields: ['points'], after: { correct_answer: null } } });
  expect(JSON.stringify(hooks.receiver.received)).not.toContain(answer);
});
