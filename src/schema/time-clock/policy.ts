import type { Context } from '../../context.ts';
import type { TimeClockRecord } from '../../database/generated/client/client.ts';
import type { FieldErrors } from '../../errors.ts';
import type { Transaction } from '../../resource/writes.ts';

/** What the settings have a say in. */
type Claim = Partial<Pick<TimeClockRecord, 'type' | 'locationId'>>;

/** What the company's settings forbid of a record (spec §2, Time clock). They are read only if they could forbid something. */
export async function forbidden(
  { type, locationId }: Claim,
  { caller: { companyId } }: Context,
  db: Transaction,
): Promise<FieldErrors> {
  const faults: FieldErrors = {};
  if (type !== 'OVERTIME' && locationId !== null) return faults;
  const select = { allowOvertime: true, requireLocation: true } as const;
  const { allowOvertime, requireLocation } = await db.timeClockSettings.findUniqueOrThrow({
    where: { companyId },
    select,
  });
  if (type === 'OVERTIME' && !allowOvertime) faults['type'] = "must not be overtime, says your company's time clock";
  if (locationId === null && requireLocation) faults['locationId'] = "is required by your company's time clock";
  return faults;
}
