import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let ada: string;
let ben: string;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  [ada = '', ben = ''] = tenant.users.map(({ id }) => id);
});
afterAll(() => service.close());

const makeProgram = async (body: Row = {}) =>
  `/training/${String((await client.post('/training', { title: 'Ladders', ...body })).row['id'])}`;

test('category is an alias of training_type', async () => {
  await makeProgram({ title: 'First', training_type: 'safety' });
  await makeProgram({ title: 'Second', training_type: 'desk' });
  const titles = async (query: Row) => (await client.get('/training', query)).rows.map(({ title }) => title);
  expect(await titles({ category: 'safety' })).toEqual(['First']);
  expect(await titles({ category: 'desk,safety', sort: 'title', order: 'asc' })).toEqual(['First', 'Second']);
  expect(await titles({ training_type: 'desk' })).toEqual(['Second']);
});

describe('a completion', () => {
  test('defaults to the caller and now', async () => {
    const program = await makeProgram();
    const before = Date.now();
    const { status, row } = await client.post(`${program}/completions`, {});
    expect(status).toBe(201);
    expect(row).toMatchObject({ user_id: ada, score: null, passed: null, training_program_id: program.split('/')[2] });
    expect(Math.abs(Date.parse(String(row['completed_at'])) - before)).toBeLessThan(5000);
    const other = { user_id: ben, completed_at: '2026-01-31T09:30:00.000Z', score: 1, passed: true };
    expect((await client.post(`${program}/completions`, other)).row).toMatchObject(other);
  });

  test.each<[number | null, Row, boolean | null]>([
    [80, { score: 80 }, true],
    [80, { score: 79.9999 }, false],
    [80, { score: 1000 }, true],
    [0, { score: 0 }, true],
    [80, {}, null],
    [80, { score: null }, null],
    [null, { score: 80 }, null],
    [80, { score: 79, passed: true }, true],
    [80, { score: 81, passed: false }, false],
    [80, { score: 81, passed: null }, true],
    [null, { passed: true }, true],
  ])('with a passing score of %p, %j passes: %p', async (passing_score, body, passed) => {
    expect((await client.post(`${await makeProgram({ passing_score })}/completions`, body)).row['passed']).toBe(passed);
  });

  test('has a score that is not negative', async () => {
    expect((await client.post(`${await makeProgram()}/completions`, { score: -1 })).details).toEqual({
      score: expect.any(String),
    });
  });

  test('uses the current passing score while it changes', async () => {
    const program = await makeProgram({ passing_score: 50 });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 2
          ? client.patch(program, { passing_score: 50 + (n % 4) * 10 })
          : client.post(`${program}/completions`, { score: 60 }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, (_, n) => (n % 2 ? 200 : 201)));
    const { rows } = await client.get(`${program}/completions`);
    expect(rows.map(({ passed }) => typeof passed)).toEqual(Array(10).fill('boolean'));
    const { passing_score } = (await client.get(program)).row;
    const last = await client.post(`${program}/completions`, { score: 60 });
    expect(last.row['passed']).toBe(60 >= Number(passing_score));
  });

  test('is deleted with its program', async () => {
    const program = await makeProgram();
    await client.post(`${program}/completions`, {});
    await client.post(`${program}/questions`, { question_text: 'How?' });
    expect((await client.delete(program)).status).toBe(204);
    expect((await client.get(`${program}/completions`)).status).toBe(404);
    expect((await client.post(`${program}/completions`, {})).status).toBe(404);
    expect((await client.post(`${program}/questions`, { question_text: 'How?' })).status).toBe(404);
  });
});

describe('a question', () => {
  let questions: string;
  beforeAll(async () => {
    questions = `${await makeProgram()}/questions`;
  });
  const ask = (body: Row) => client.post(questions, { question_text: 'How high?', ...body });

  test('has no options by default', async () => {
    expect(await ask({})).toMatchObject({
      status: 201,
      row: { options: [], correct_answer: null, question_type: null, points: null },
    });
    expect((await ask({ options: null })).row['options']).toEqual([]);
    expect((await ask({ options: [] })).row['options']).toEqual([]);
    expect((await ask({ options: [], correct_answer: 'anything' })).row['correct_answer']).toBe('anything');
  });

  test('has options in their order, trimmed', async () => {
    const long = 'x'.repeat(500);
    expect((await ask({ options: [' two ', 'one', ` ${long} `], correct_answer: ' two ' })).row).toMatchObject({
      options: ['two', 'one', long],
      correct_answer: 'two',
    });
  });

  test.each<[string, Row, string[]]>([
    ['an answer that is no option', { options: ['a', 'b'], correct_answer: 'c' }, ['correct_answer']],
    ['an answer in other letters', { options: ['a', 'b'], correct_answer: 'A' }, ['correct_answer']],
    ['an empty option', { options: ['a', 'b', ' '] }, ['options.2']],
    ['a long option', { options: ['a', 'x'.repeat(501)] }, ['options.1']],
    ['an option with NUL', { options: ['a\0'] }, ['options.0']],
    ['options that are no text', { options: ['a', 7, null] }, ['options.1', 'options.2']],
    ['both kinds of fault', { options: [' ', 7, 'b'] }, ['options.0', 'options.1']],
    ['options that are no array', { options: 'a' }, ['options']],
    ['too many', { options: Array<string>(501).fill('a') }, ['options']],
    ['negative points', { points: -1 }, ['points']],
    [
      'everything at once',
      { question_text: '', options: ['a', ''], correct_answer: 'c', points: -1 },
      ['correct_answer', 'options.1', 'points', 'question_text'],
    ],
  ])('rejects %s', async (_, body, fields) => {
    const reply = await ask(body);
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.details).sort()).toEqual(fields);
  });

  test('must match its options when only one of the two changes', async () => {
    const { id } = (await ask({ options: ['a', 'b'], correct_answer: 'b' })).row;
    const update = async (input: Row) => {
      const { data, errors } = await client.graphql(
        'mutation ($id: ID!, $input: UpdateTrainingQuestionInput!) { updateTrainingQuestion(id: $id, input: $input) { options correctAnswer } }',
        { id, input },
      );
      return data['updateTrainingQuestion'] ?? errors[0]?.extensions;
    };
    const refused = { code: 'VALIDATION_ERROR', status: 422, details: { correctAnswer: expect.any(String) } };
    expect(await update({ correctAnswer: 'c' })).toEqual(refused);
    expect(await update({ options: ['a', 'c'] })).toEqual(refused);
    expect(await update({ options: ['a'], correctAnswer: 'b' })).toEqual(refused);
    expect((await client.get(questions, { sort: 'created_at' })).rows[0]).toMatchObject({
      options: ['a', 'b'],
      correct_answer: 'b',
    });
    expect(await update({ correctAnswer: 'a' })).toEqual({ options: ['a', 'b'], correctAnswer: 'a' });
    expect(await update({ options: ['a', 'c'] })).toEqual({ options: ['a', 'c'], correctAnswer: 'a' });
    expect(await update({ options: ['c'], correctAnswer: 'c' })).toEqual({ options: ['c'], correctAnswer: 'c' });
    expect(await update({ correctAnswer: null })).toEqual({ options: ['c'], correctAnswer: null });
    expect(await update({ options: [], correctAnswer: 'x' })).toEqual({ options: [], correctAnswer: 'x' });
  });

  test('must match its options with concurrent changes of the two', async () => {
    const { id } = (await ask({ options: ['a', 'b'], correct_answer: 'a' })).row;
    const update = (input: Row) =>
      client.graphql(
        'mutation ($id: ID!, $input: UpdateTrainingQuestionInput!) { updateTrainingQuestion(id: $id, input: $input) { id } }',
        { id, input },
      );
    for (let round = 0; round < 5; round += 1) {
      await update({ options: ['a', 'b'], correctAnswer: 'a' });
      const replies = await Promise.all(
        [{ correctAnswer: 'b' }, { options: ['a'] }, { correctAnswer: 'b' }, { options: ['a'] }].map(update),
      );
      // Whichever runs first, contradicting changes are rejected.
      expect(replies.filter(({ errors }) => errors.length > 0)).toHaveLength(2);
      const question = (await client.get(questions, { limit: 100 })).rows.find((row) => row['id'] === id);
      expect(question?.['options']).toContain(question?.['correct_answer']);
    }
  });
});
