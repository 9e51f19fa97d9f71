// Saved queries that are sent by email, with a mail server on loopback.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { Jobs } from '../../src/background/jobs.ts';
import { savedQueryMail } from '../../src/background/saved-queries/mail.ts';
import { queryProblemMail } from '../../src/background/saved-queries/problem.ts';
import { QuerySchedules } from '../../src/background/saved-queries/schedules.ts';
import { api } from '../../src/schema/index.ts';
import type { Row } from '../support/client.ts';
import { NotificationSetup, pathOf } from '../support/notifications.ts';
import { readXlsx } from '../support/xlsx.ts';

let setup: NotificationSetup;
let instances: Instance[];
beforeAll(async () => {
  setup = await NotificationSetup.start();
  instances = [new Instance(), new Instance()];
  for (const [client, title] of [
    [setup.people.admin, 'Of Ada'],
    [setup.people.member, 'Of Cleo'],
  ] as const)
    await client.graphql('mutation ($input: CreateNoteInput!) { createNote(input: $input) { id } }', {
      input: { title, content: 'x' },
    });
});
afterAll(async () => {
  await Promise.all(instances.map((each) => each.close()));
  await setup.stop();
});
afterEach(async () => {
  await setup.sql('DELETE FROM saved_queries');
  await setup.sql('DELETE FROM jobs');
  await setup.sql('UPDATE users SET deactivated_at = NULL');
  await setup.reset();
});

/** What one instance of the service does. */
class Instance {
  private readonly parts = {
    database: setup.service.database,
    api,
    mailer: setup.mailer,
    log: pino({ level: 'silent' }),
  };
  readonly schedules = new QuerySchedules(this.parts);
  readonly jobs = new Jobs(this.parts, [savedQueryMail, queryProblemMail]);

  async close(): Promise<void> {
    await Promise.all([this.schedules.close(), this.jobs.close()]);
  }
}

const notes = 'query Notes { notes(orderBy: { field: TITLE }) { nodes { title } } }';

const save = async (query: string, isShared = true, name = 'Notes: what is new?') => {
  const { data, errors } = await setup.people.admin.graphql<{ saveQuery: Row }>(
    'mutation ($input: SaveQueryInput!) { saveQuery(input: $input) { id } }',
    { input: { name, query, isShared } },
  );
  expect(errors).toEqual([]);
  return String(data.saveQuery['id']);
};

const monday = { weekday: 1, time: '07:00', format: 'CSV' };
const everyone = () => Object.values(setup.ids);

const schedule = (id: string, input: Row | null, client = setup.people.admin) =>
  client.graphql<{ scheduleQuery: { schedule: Row | null } }>(
    `mutation ($id: ID!, $input: QueryScheduleInput) { scheduleQuery(id: $id, input: $input) {
      schedule { weekday monthDay time format recipientIds nextAt problem }
    } }`,
    { id, input },
  );

const saveFor = async (query: string, recipientIds: string[], input: Row = monday) => {
  const id = await save(query);
  expect((await schedule(id, { ...input, recipientIds })).errors).toEqual([]);
  return id;
};

/** Does what the time does, and what all instances do then. */
async function pass(due = "now() - interval '1 minute'") {
  setup.mails.messages.length = 0;
  await setup.sql(`UPDATE saved_query_schedules SET next_at = ${due}`);
  await Promise.all(instances.map(({ schedules }) => schedules.addDue()));
  await run();
  // What the first jobs have added.
  await Promise.all(instances.map(({ jobs }) => jobs.runAll()));
}

async function run() {
  await setup.sql(`UPDATE jobs SET next_at = now() WHERE state = 'pending'`);
  await Promise.all(instances.map(({ jobs }) => jobs.runAll()));
}

/** The attached text that each person got, by name. */
const answers = () =>
  Object.fromEntries(
    setup.mails.messages.map(({ recipients, attachments }) => [
      recipients[0]?.split('@')[0],
      attachments.map(({ content }) => content.toString()).join(),
    ]),
  );

describe('the next time', () => {
  const next = async (weekday: number | null, monthDay: number | null, time: string, since: string) => {
    const [hours, minutes] = time.split(':').map(Number) as [number, number];
    const { rows } = await setup.sql(
      `SELECT to_char(next_saved_query_at($1::smallint, $2::smallint, $3::smallint, 'Europe/Berlin', $4::timestamptz)
         AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') AS at`,
      weekday,
      monthDay,
      hours * 60 + minutes,
      since,
    );
    return rows[0]?.['at'];
  };

  // On 29 March the clocks go from 02:00 to 03:00, and on 25 October from 03:00 back to 02:00.
  test.each([
    ['a Monday in winter', 1, null, '07:00', ['2026-03-20T12:00Z', '2026-03-23T06:00Z', '2026-03-30T05:00Z']],
    ['a Monday in autumn', 1, null, '07:00', ['2026-10-18T12:00Z', '2026-10-19T05:00Z', '2026-10-26T06:00Z']],
    ['a time that is left out', 7, null, '02:30', ['2026-03-28T12:00Z', '2026-03-29T01:30Z', '2026-04-05T00:30Z']],
    ['a time that is twice', 7, null, '02:30', ['2026-10-24T12:00Z', '2026-10-25T01:30Z', '2026-11-01T01:30Z']],
    ['between both of them', 7, null, '02:30', ['2026-10-25T00:45Z', '2026-10-25T01:30Z', '2026-11-01T01:30Z']],
    ['a day left out of a month', null, 29, '02:30', ['2026-03-01T00:00Z', '2026-03-29T01:30Z', '2026-04-29T00:30Z']],
    ['a day twice in a month', null, 25, '02:30', ['2026-10-01T00:00Z', '2026-10-25T01:30Z', '2026-11-25T01:30Z']],
    ['the last day', null, 31, '08:00', ['2026-01-31T07:00Z', '2026-02-28T07:00Z', '2026-03-31T06:00Z']],
    ['the last of 30 days', null, 31, '08:00', ['2026-03-31T06:00Z', '2026-04-30T06:00Z', '2026-05-31T06:00Z']],
    ['midnight', 7, null, '00:00', ['2026-03-28T23:00Z', '2026-04-04T22:00Z', '2026-04-11T22:00Z']],
  ])('%s', async (_name, weekday, monthDay, time, [since, ...expected]) => {
    let at = since ?? '';
    const found: unknown[] = [];
    for (let n = 0; n < expected.length; n++) found.push((at = String(await next(weekday, monthDay, time, at))));
    expect(found).toEqual(expected);
  });

  test('moves with the time zone of the company', async () => {
    const id = await saveFor(notes, [setup.ids.ada]);
    const nextAt = async () => {
      const { rows } = await setup.sql(
        `SELECT extract(isodow FROM at)::int AS day, to_char(at, 'HH24:MI') AS time FROM (
           SELECT next_at AT TIME ZONE 'Asia/Tokyo' AS at FROM saved_query_schedules WHERE saved_query_id = $1
         ) AS found`,
        id,
      );
      return rows;
    };
    const { rows } = await setup.sql('SELECT time_zone FROM companies WHERE id = $1', setup.tenant.company.id);
    await setup.sql(`UPDATE companies SET time_zone = 'Asia/Tokyo' WHERE id = $1`, setup.tenant.company.id);
    expect(await nextAt()).toEqual([{ day: 1, time: '07:00' }]);
    await setup.sql(
      'UPDATE companies SET time_zone = $2 WHERE id = $1',
      setup.tenant.company.id,
      rows[0]?.['time_zone'],
    );
  });
});

describe('a schedule', () => {
  test('is kept, changed and removed by the owner of the query alone', async () => {
    const id = await save(notes);
    const given = { ...monday, recipientIds: everyone() };
    const { data, errors } = await schedule(id, given);
    expect(errors).toEqual([]);
    const { nextAt, ...rest } = data.scheduleQuery.schedule ?? {};
    expect(rest).toEqual({ ...given, monthDay: null, problem: null });
    expect(Number(new Date(String(nextAt)))).toBeGreaterThan(Date.now());
    expect((await schedule(id, given, setup.people.member)).errors).toMatchObject([
      { extensions: { code: 'NOT_FOUND' } },
    ]);
    const { data: seen } = await setup.people.member.graphql<{ savedQueries: Row[] }>(
      '{ savedQueries { name schedule { time } } }',
    );
    expect(seen.savedQueries).toEqual([{ name: 'Notes: what is new?', schedule: null }]);
    const monthly = { monthDay: 31, time: '23:59', format: 'XLSX', recipientIds: [setup.ids.ben] };
    expect((await schedule(id, monthly)).data.scheduleQuery.schedule).toMatchObject({ ...monthly, weekday: null });
    expect((await schedule(id, null)).data.scheduleQuery.schedule).toBeNull();
  });

  test.each([
    [{ weekday: null }, 'weekday'],
    [{ monthDay: 1 }, 'weekday'],
    [{ weekday: 8 }, 'weekday'],
    [{ weekday: null, monthDay: 32 }, 'monthDay'],
    [{ time: '24:00' }, 'time'],
    [{ time: '7:00' }, 'time'],
    [{ recipientIds: [] }, 'recipientIds'],
    [{ recipientIds: ['nobody'] }, 'recipientIds'],
  ])('with %j is refused', async (wrong, field) => {
    const { errors } = await schedule(await save(notes), { ...monday, recipientIds: [setup.ids.ada], ...wrong });
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', details: { [field]: expect.any(String) } } },
    ]);
    expect(Object.keys(errors[0]?.extensions['details'] ?? {})).toEqual([field]);
  });

  test('has people of the company alone, and others only of a query that they see', async () => {
    const other = await setup.service.tenant();
    const details = async (id: string, recipientId: unknown) =>
      (await schedule(id, { ...monday, recipientIds: [recipientId] })).errors[0]?.extensions['details'];
    const shared = await save(notes);
    expect(await details(shared, other.users[0]?.id)).toEqual({ recipientIds: 'must be active people of the company' });
    await setup.sql('UPDATE users SET deactivated_at = now() WHERE id = $1', setup.ids.cleo);
    expect(await details(shared, setup.ids.cleo)).toEqual({ recipientIds: 'must be active people of the company' });
    const own = await save(notes, false);
    expect(await details(own, setup.ids.ben)).toEqual({
      recipientIds: 'must be yourself alone, until you share the query',
    });
    expect(await details(own, setup.ids.ada)).toBeUndefined();
  });
});

describe('a query that is due', () => {
  test('is sent once to each, as they may read it, whichever instances run', async () => {
    const id = await saveFor(notes, everyone());
    await pass();
    expect(setup.mails.messages).toHaveLength(3);
    expect(answers()).toEqual({
      ada: '\uFEFFtitle\r\nOf Ada\r\n',
      ben: '\uFEFFtitle\r\n',
      cleo: '\uFEFFtitle\r\nOf Cleo\r\n',
    });
    const [mail] = setup.mailTo('cleo');
    expect(mail?.subject).toBe('Notes: what is new?');
    expect(mail?.attachments.map(({ filename }) => filename)).toEqual(['Notes what is new.csv']);
    expect(mail?.text).toContain(`http://localhost:4000/c/acme/saved-queries/${id}`);
    // Nothing is due any more.
    setup.mails.messages.length = 0;
    await Promise.all(instances.map(({ schedules }) => schedules.addDue()));
    await run();
    expect(setup.mails.messages).toEqual([]);
  });

  test('is sent as a spreadsheet', async () => {
    await saveFor(notes, [setup.ids.ada], { ...monday, format: 'XLSX' });
    await pass();
    const [attachment] = setup.mailTo('ada')[0]?.attachments ?? [];
    expect(attachment?.filename).toBe('Notes what is new.xlsx');
    const [rows = []] = [...(await readXlsx(attachment?.content ?? Buffer.of())).values()];
    expect(rows.map((row) => [...row.values()].map(({ value }) => value))).toEqual([['title'], ['Of Ada']]);
  });

  test('is not sent to those who left, stopped such email, or may not read it', async () => {
    await saveFor('query AI { users { nodes { email } } }', everyone());
    await setup.sql('UPDATE users SET deactivated_at = now() WHERE id = $1', setup.ids.ben);
    await setup.prefer(setup.people.member, 'SCHEDULED_QUERY', 'LIST');
    await pass();
    expect(Object.keys(answers())).toEqual(['ada']);
  });

  test('is stopped with one POST by its recipient', async () => {
    await saveFor(notes, [setup.ids.cleo]);
    await pass();
    const [mail] = setup.mailTo('cleo');
    const line = mail?.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line.replace(/\r?\n\s*/g, ' ');
    const [, link = ''] = /^List-Unsubscribe: <(.*)>$/.exec(line ?? '') ?? [];
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await fetch(setup.service.origin + pathOf(link), { method: 'POST', body })).status).toBe(200);
    await pass();
    expect(setup.mails.messages).toEqual([]);
  });

  test('is not sent to others once it is shared no more, nor to anybody once its owner has left', async () => {
    await saveFor(notes, everyone());
    await setup.sql('UPDATE saved_queries SET is_shared = false');
    await pass();
    expect(Object.keys(answers())).toEqual(['ada']);
    await setup.sql('UPDATE saved_queries SET is_shared = true');
    await setup.sql('UPDATE users SET deactivated_at = now() WHERE id = $1', setup.ids.ada);
    await pass();
    expect(setup.mails.messages).toEqual([]);
  });

  test('is not sent a day late', async () => {
    await saveFor(notes, [setup.ids.ada]);
    await pass("now() - interval '25 hours'");
    expect(setup.mails.messages).toEqual([]);
    const { rows } = await setup.sql('SELECT next_at > now() AS later FROM saved_query_schedules');
    expect(rows).toEqual([{ later: true }]);
  });

  test('is sent again after a failure, as the same message, to whom it failed alone', async () => {
    await saveFor(notes, [setup.ids.ada, setup.ids.cleo]);
    setup.refusals = [Object.assign(new Error('try later'), { responseCode: 451 })];
    await pass();
    expect(setup.mails.messages).toHaveLength(1);
    const { rows } = await setup.sql(`SELECT id FROM jobs WHERE state = 'pending'`);
    expect(rows).toHaveLength(1);
    await run();
    expect(Object.keys(answers()).toSorted()).toEqual(['ada', 'cleo']);
    expect(setup.mails.messages).toHaveLength(2);
    expect(setup.mails.messages[1]?.messageId).toBe(`<${String(rows[0]?.['id'])}@localhost>`);
  });

  test('is sent by another instance when one dies before its end', async () => {
    await saveFor(notes, [setup.ids.ada]);
    await setup.sql(`UPDATE saved_query_schedules SET next_at = now() - interval '1 minute'`);
    await instances[0]?.schedules.addDue();
    // It has taken the job, and renews its lease no more.
    await setup.sql(
      `UPDATE jobs SET attempts = 1, lease_id = gen_random_uuid(), next_at = now() + interval '2 minutes'`,
    );
    await instances[1]?.jobs.runAll();
    expect(setup.mails.messages).toEqual([]);
    await run();
    expect(Object.keys(answers())).toEqual(['ada']);
  });
});

describe('what is wrong with a query', () => {
  test.each([
    ['{ notes { nodes { nothing } } }', 'Cannot query field "nothing" on type "Note"'],
    ['{ notes { nodes { id } } paints { nodes { id } } }', 'require one list at the root'],
    ['mutation { deleteSavedQuery(id: "x") { id } }', 'require one list at the root'],
  ])('%s: its owner is told once', async (query, problem) => {
    const id = await saveFor(query, everyone());
    await pass();
    expect(setup.mails.messages.map(({ recipients, subject }) => [recipients[0]?.split('@')[0], subject])).toEqual([
      ['ada', 'Scheduled query not sent: Notes: what is new?'],
    ]);
    expect(setup.mails.messages[0]?.text).toContain(problem);
    await pass();
    expect(setup.mails.messages).toEqual([]);
    // Once it is saved again it may be told again.
    await schedule(id, { ...monday, recipientIds: everyone() });
    await pass();
    expect(setup.mails.messages).toHaveLength(1);
  });
});
