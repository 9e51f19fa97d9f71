// Random periods: what each has by statuses and by ranges, against an interpreter over the rows in memory.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DateTime, type DateTimeUnit } from 'luxon';
import type { Row } from './support/client.ts';
import { Questions } from './support/questions.ts';
import { Random } from './support/random.ts';

/** Number of questions of each kind of rows, and the seed; more of them can be asked. */
const rounds = Number(process.env.PERIOD_ROUNDS ?? 40);
const random = new Random(Number(process.env.PERIOD_SEED ?? 20_261_128));
const fiscalMonth = 4;

let questions: Questions;
beforeAll(async () => {
  questions = await Questions.start();
  await questions.prisma.company.update({
    where: { id: questions.companyId },
    data: { fiscalYearStartMonth: fiscalMonth },
  });
  const { companyId, tenant, prisma } = questions;
  const userId = tenant.users[0]?.id ?? '';
  const minute = () => new Date(Date.UTC(2026, 0, 1, 0, random.integer(500_000)));
  const day = () => new Date(Date.UTC(2026, 0, 1 + random.integer(400)));
  for (let n = 0; n < 40; n++) {
    const [clockInTime, clockOutTime] = [minute(), minute()].sort((one, other) => Number(one) - Number(other));
    const record = { companyId, userId, clockInTime: clockInTime as Date, workedMinutes: random.integer(600) };
    await prisma.timeClockRecord.create({ data: { ...record, ...(clockOutTime && n > 0 && { clockOutTime }) } });
    const [startDate, endDate] = [day(), day()].sort((one, other) => Number(one) - Number(other));
    const createdAt = minute();
    await prisma.workspaceRecord.create({
      data: {
        ...{ companyId, userId, createdAt },
        ...(startDate && random.chance(0.7) && { startDate }),
        ...(endDate && random.chance(0.7) && { endDate }),
      },
    });
  }
});
afterAll(() => questions.close());

const zones = ['Europe/Berlin', 'America/St_Johns', 'Pacific/Auckland', 'UTC'];
const units = {
  DAY: 'day',
  WEEK: 'week',
  MONTH: 'month',
  QUARTER: 'quarter',
  YEAR: 'year',
  FISCAL_YEAR: 'year',
} as const;

/** Periods, each from its first day to the first one of the next, with the times at which these begin. */
interface Periods {
  readonly text: string;
  readonly zone: string;
  readonly days: readonly string[];
  readonly times: readonly number[];
}

/** Draws periods of 2026. @param by how rows belong to them */
function drawPeriods(by: string, until = '2026-12-31'): Periods {
  const every = random.pick(Object.keys(units) as (keyof typeof units)[]);
  const zone = random.pick(zones);
  const first = DateTime.fromISO('2026-01-01', { zone: 'utc' }).plus({ days: random.integer(300) });
  const length = every === 'DAY' ? 1 + random.integer(40) : 1 + random.integer(300);
  const end = DateTime.min(first.plus({ days: length }), DateTime.fromISO(until, { zone: 'utc' })) as DateTime<true>;
  const unit: DateTimeUnit = units[every];
  const shift = { months: every === 'FISCAL_YEAR' ? fiscalMonth - 1 : 0 };
  const start = first.minus(shift).startOf(unit).plus(shift);
  const days = [start];
  while ((days.at(-1) as DateTime) < end) days.push(start.plus({ [unit]: days.length }));
  const isos = days.map((day) => day.toISODate() ?? '');
  return {
    text: `periods: { from: "${first.toISODate()}", to: "${end.toISODate()}", every: ${every}${by} }, timeZone: "${zone}"`,
    zone,
    days: isos,
    times: isos.map((iso) => DateTime.fromISO(iso, { zone }).toMillis()),
  };
}

/** A range of a row: of days, of which the last one is in it, or of times. Null for an end that it does not have. */
interface Range {
  readonly from: number | null;
  readonly to: number | null;
}

const dayLength = 86_400_000;

/** How many days of a range are in a period, and how long the range and the period are; undefined if it has none. */
function overlap({ from, to }: Range, isDate: boolean, { days, times }: Periods, n: number) {
  const [start, end] = [n, n + 1].map((at) => (isDate ? Date.parse(days[at] ?? '') : (times[at] ?? 0))) as [
    number,
    number,
  ];
  if (from === null || from >= end) return undefined;
  const last = to === null ? Number.POSITIVE_INFINITY : isDate ? to : Math.max(to - 1, from);
  if (last < start) return undefined;
  const after = to === null ? Number.POSITIVE_INFINITY : isDate ? to + dayLength : to;
  return {
    inPeriod: (Math.min(after, end) - Math.max(from, start)) / dayLength,
    ofPeriod: (end - start) / dayLength,
    ofRange: after === Number.POSITIVE_INFINITY ? null : (after - from) / dayLength,
  };
}

const sumOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : null;
};
/** Numbers of money are exact, and those of days are not. */
const near = (value: unknown): unknown =>
  typeof value === 'number' ? (Math.abs(value) < 1e-6 ? 0 : Number(value.toPrecision(8))) : (value ?? null);

/** The days of a row in a zone. */
const dayIn = (zone: string, time: Date): number => Date.parse(DateTime.fromJSDate(time, { zone }).toISODate() ?? '');
const timeOf = (value: unknown): number | null => (value === null ? null : (value as Date).getTime());

/** Kinds of rows with a range, the number that is measured of them, and what else they are grouped by. */
const kinds: Record<
  string,
  {
    readonly range: string;
    readonly list: string;
    readonly isDate: boolean;
    readonly key: string;
    readonly number?: string;
    readonly rows: () => Promise<Row[]>;
    readonly rangeOf: (row: Row, zone: string) => Range;
  }
> = {
  leases: {
    range: 'term',
    list: 'leases',
    isDate: true,
    key: 'status',
    number: 'monthlyPayment',
    rows: () => questions.prisma.lease.findMany({ where: { companyId: questions.companyId } }),
    rangeOf: ({ startDate, endDate }) => ({ from: timeOf(startDate), to: timeOf(endDate) }),
  },
  'time clock records': {
    range: 'presence',
    list: 'timeClockRecords',
    isDate: false,
    key: 'type',
    number: 'workedMinutes',
    rows: () => questions.prisma.timeClockRecord.findMany({ where: { companyId: questions.companyId } }),
    rangeOf: ({ clockInTime, clockOutTime }) => ({ from: timeOf(clockInTime), to: timeOf(clockOutTime) }),
  },
  'workspace records': {
    range: 'assignment',
    list: 'workspaceRecords',
    isDate: true,
    key: 'deskId',
    rows: () => questions.prisma.workspaceRecord.findMany({ where: { companyId: questions.companyId } }),
    rangeOf({ startDate, endDate, createdAt }, zone) {
      const [from, to] = [timeOf(startDate), timeOf(endDate)];
      const made = dayIn(zone, createdAt as Date);
      return { from: from ?? (to === null ? made : Math.min(made, to)), to };
    },
  },
};

test.each(Object.entries(kinds))(
  '%s by their range',
  async (_, { range, list, isDate, key, number, rows, rangeOf }) => {
    const all = await rows();
    expect(all.length).toBeGreaterThan(10);
    let touched = 0;
    for (let round = 0; round < rounds; round++) {
      const share = random.pick([undefined, 'PERIOD', 'RANGE'] as const);
      const periods = drawPeriods(`, by: "${range}"${share ? `, share: ${share}` : ''}`, '2027-12-31');
      const isSplit = random.chance(0.5);
      const groups = await questions.groupsOf(
        list,
        `key { period ${isSplit ? key : ''} } count daysInPeriod { sum max }${number ? ` ${number} { sum }` : ''}`,
        periods.text,
      );
      const found = new Map(
        groups.map(({ key: at, count, daysInPeriod, ...rest }) => {
          const of = at as Row;
          const days = daysInPeriod as Row;
          const sum = number ? (rest[number] as Row)['sum'] : null;
          return [`${String(of['period'])} ${String(of[key])}`, [count, days['sum'], days['max'], sum].map(near)];
        }),
      );
      const values = isSplit ? [...new Set(groups.map(({ key: at }) => (at as Row)[key]))] : [undefined];
      const expected = new Map<string, unknown[]>();
      for (const n of periods.days.slice(0, -1).keys())
        for (const value of values) {
          const those = all
            .filter((row) => !isSplit || (row[key] ?? null) === value)
            .flatMap((row) => {
              const part = overlap(rangeOf(row, periods.zone), isDate, periods, n);
              return part ? [{ row, ...part }] : [];
            });
          touched += those.length;
          const days = those.map(({ inPeriod }) => inPeriod);
          const numbers = those.map(({ row, inPeriod, ofPeriod, ofRange }) => {
            const given = number === undefined || row[number] == null ? null : Number(row[number]);
            if (given === null || !share) return given;
            const of = share === 'PERIOD' ? ofPeriod : ofRange;
            return of === null || of === 0 ? null : (given * inPeriod) / of;
          });
          const most = days.length > 0 ? Math.max(...days) : null;
          expected.set(
            `${periods.days[n]} ${String(value)}`,
            [those.length, sumOf(days), most, sumOf(numbers)].map(near),
          );
        }
      expect({ periods, groups: [...found].sort() }).toEqual({ periods, groups: [...expected].sort() });
    }
    expect(touched).toBeGreaterThan(100);
  },
);

test('requests by their status at the end of each period', async () => {
  const { prisma, companyId } = questions;
  const held = await prisma.statusPeriod.findMany({ where: { companyId, resource: 'service_requests' } });
  const existing = new Map(
    (await prisma.serviceRequest.findMany({ where: { companyId } })).map((row) => [row.id, row]),
  );
  expect([existing.size > 50, held.some(({ rowId }) => !existing.has(rowId))]).toEqual([true, true]);
  const today = DateTime.now().setZone('utc').minus({ days: 2 }).toISODate() ?? '';
  for (let round = 0; round < rounds; round++) {
    const deleted = random.chance(0.5);
    const periods = drawPeriods(deleted ? '' : ', deleted: false', today);
    const isSplit = random.chance(0.5);
    const urgent = deleted ? '' : 'urgent: count(where: { priority: { eq: URGENT }, status: { ne: COMPLETED } })';
    const groups = await questions.groupsOf(
      'serviceRequests',
      `key { period ${isSplit ? 'status' : ''} } count pending: count(where: { status: { eq: PENDING } }) ${urgent}`,
      periods.text,
    );
    const statuses = isSplit ? [...new Set(groups.map(({ key }) => (key as Row)['status']))] : [undefined];
    const expected = periods.times.slice(1).flatMap((end, n) =>
      statuses.map((status) => {
        const those = held
          .filter(({ enteredAt, leftAt }) => enteredAt.getTime() < end && (leftAt === null || leftAt.getTime() >= end))
          .filter(({ rowId }) => deleted || existing.has(rowId))
          .map((one) => ({ ...one, status: one.status.toUpperCase().replace('-', '_') }))
          .filter((one) => status === undefined || one.status === status);
        const isUrgent = (id: string) => existing.get(id)?.priority === 'URGENT';
        return [
          `${periods.days[n]} ${String(status)}`,
          those.length,
          those.filter((one) => one.status === 'PENDING').length,
          deleted ? null : those.filter((one) => isUrgent(one.rowId) && one.status !== 'COMPLETED').length,
        ];
      }),
    );
    const found = groups.map(({ key, count, pending, urgent: those }) => {
      const of = key as Row;
      return [`${String(of['period'])} ${String(of['status'])}`, count, pending, those ?? null];
    });
    expect({ periods, groups: found.sort() }).toEqual({ periods, groups: expected.sort() });
  }
});
