import type { ScanEvent as Scan } from '../../database/generated/client/client.ts';
import type { TenantClient } from '../../database/tenant.ts';
import type { FieldErrors } from '../../errors.ts';
import { before, defineResource, escapeLike, since } from '../../resource/index.ts';
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
    afterOperation: { create: ({ db, row }) => receivePackages(row, db) },
  },
});

/** Marks the packages expected under the scanned number as received. */
async function receivePackages({ trackingNumber, barcode, scannedAt }: Scan, db: TenantClient): Promise<void> {
  const scanned = [trackingNumber, barcode].flatMap((number) =>
    number === null ? [] : [{ trackingNumber: { equals: escapeLike(number), mode: 'insensitive' as const } }],
  );
  await db.expectedPackage.updateMany({
    where: { status: 'EXPECTED', OR: scanned },
    data: { status: 'RECEIVED', receivedAt: scannedAt },
  });
}
