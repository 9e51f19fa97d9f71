// The calendar of leases: their ends, important dates and dues, as events of whole days.
import { DateTime } from 'luxon';
import type { Context } from '../../context.ts';
import { spaced } from '../../names.ts';
import type { Row } from '../../resource/index.ts';

/** A day in the calendar of leases. */
export interface LeaseDay {
  readonly id: string;
  readonly leaseId: string;
  /** The day, as midnight in UTC. */
  readonly day: Date;
  readonly summary: string;
  readonly description: string | null;
  readonly updatedAt: Date;
}

/** How many days before and after today the calendar has, and of how many rows of each kind. */
const daysBefore = 90;
const daysAfter = 730;
const maxRows = 1000;

/** The row of a date or a payment, as it is selected. */
interface DayOfLease {
  readonly id: string;
  readonly leaseId: string;
  readonly description: string | null;
  readonly updatedAt: Date;
  readonly lease: { readonly name: string } | null;
}

const ofLease = { id: true, leaseId: true, description: true, updatedAt: true, lease: { select: { name: true } } };

/** Reads the days of leases that the caller may read, from 90 days ago to two years ahead: 1,000 of each kind. */
export async function readLeaseDays(context: Context): Promise<LeaseDay[]> {
  const today = DateTime.now().setZone(context.caller.timeZone);
  const dayAt = (days: number) => new Date(`${today.plus({ days }).toISODate()}T00:00:00Z`);
  const within = { gte: dayAt(-daysBefore), lte: dayAt(daysAfter) };
  const { reader } = context;
  const isOpen = { lease: { status: { not: 'TERMINATED' } } };
  const read = async <Found>(model: 'Lease' | 'LeaseDate' | 'LeasePayment', day: string, where: Row, select: Row) =>
    // As they are selected.
    (await reader.findMany(model, {
      as: model,
      where: { [day]: within, ...where },
      select: { ...select, [day]: true },
      orderBy: [{ [day]: 'asc' }, { id: 'asc' }],
      take: maxRows,
    })) as unknown as Found[];
  const [ends, dates, dues] = await Promise.all([
    read<{ id: string; name: string; endDate: Date; description: string | null; updatedAt: Date }>(
      'Lease',
      'endDate',
      { status: { not: 'TERMINATED' } },
      { id: true, name: true, description: true, updatedAt: true },
    ),
    read<DayOfLease & { date: Date; type: string | null }>('LeaseDate', 'date', isOpen, { ...ofLease, type: true }),
    read<DayOfLease & { dueDate: Date }>('LeasePayment', 'dueDate', { ...isOpen, status: 'PENDING' }, ofLease),
  ]);
  const nameOf = ({ lease }: DayOfLease) => lease?.name ?? 'Lease';
  return [
    ...ends.map(({ id, name, endDate, description, updatedAt }) => ({
      ...{ id, leaseId: id, day: endDate, description, updatedAt },
      summary: `Lease ends: ${name}`,
    })),
    ...dates.map((row) => ({
      ...{ id: row.id, leaseId: row.leaseId, day: row.date, description: row.description, updatedAt: row.updatedAt },
      summary: `${labelOf(row.type)}: ${nameOf(row)}`,
    })),
    ...dues.map((row) => ({
      ...{ id: row.id, leaseId: row.leaseId, day: row.dueDate, description: row.description, updatedAt: row.updatedAt },
      summary: `Payment due: ${nameOf(row)}`,
    })),
  ];
}

/** `renewal_option` → `Renewal option`. */
function labelOf(type: string | null): string {
  const words = type === null ? 'important date' : spaced(type.replaceAll('_', ' ')).trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
