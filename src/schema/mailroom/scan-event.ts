import { type Context, timeOf } from '../../context.ts';
import { Prisma, type ScanEvent as Scan } from '../../database/generated/client/client.ts';
import type { FieldErrors } from '../../errors.ts';
import { before, defineResource, since, tenantSql } from '../../resource/index.ts';
import { detectCarrier } from './carrier.ts';

/** Scans of labels. Only the processing status of a scan can change. */
export const ScanEvent = defineResource('ScanEvent', {
  scope: 'shipping',
  fields: {
    scanType: { createOnly: true },
    processingStatus: {},
    trackingNumber: { createOnly: true },
    barcode: { createOnly: true },
    detectedCarrier: {
      createOnly: true,
      default: ({ data: { trackingNumber, barcode } }) => detectCarrier(trackingNumber) ?? detectCarrier(barcode),
    },
    scannedAt: { createOnly: true },
  },
  list: {
    search: ['barcode', 'trackingNumber', 'detectedCarrier'],
    filters: { scannedAfter: since('scannedAt'), scannedBefore: before('scannedAt') },
  },
  access: { actions: ['list', 'read', 'create', 'update'] },
  rest: { path: '/mailroom/scan-events', actions: ['list', 'create'] },
  hooks: {
    validate({ row: { trackingNumber, barcode } }): FieldErrors {
      if (trackingNumber != null || barcode != null) return {};
      return {
        trackingNumber: 'is required, unless there is a barcode',
        barcode: 'is required, unless there is a tracking number',
      };
    },
    afterOperation: { create: ({ context, row }) => receivePackages(row, context) },
  },
});

/** Normalizes a number: upper case, without spaces and hyphens. */
const comparable = (number: Prisma.Sql) => Prisma.sql`upper(regexp_replace(${number}, '[[:space:]-]', '', 'g'))`;

/**
 * Marks the packages expected under the scanned number as received. It is SQL, as Prisma cannot compare normalized
 * numbers.
 */
async function receivePackages(scan: Scan, context: Context): Promise<void> {
  const { trackingNumber, barcode, scannedAt } = scan;
  const expected = comparable(Prisma.sql`tracking_number`);
  const scanned = [trackingNumber, barcode].map((number) => comparable(Prisma.sql`${number}::text`));
  await context.unscopedDb.$executeRaw`
    UPDATE expected_packages SET status = 'received', received_at = ${scannedAt}, updated_at = ${timeOf(context)}
    WHERE ${tenantSql(context)} AND status = 'expected'
      AND ${expected} <> '' AND ${expected} IN (${Prisma.join(scanned)})`;
}
