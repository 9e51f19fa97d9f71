import type { Context } from '../../context.ts';
import type { ScanEvent as Scan } from '../../database/generated/client/client.ts';
import type { FieldErrors } from '../../errors.ts';
import { defineResource, updateAllBySystem } from '../../resource/index.ts';
import { detectCarrier } from './carrier.ts';
import { ExpectedPackage } from './expected-package.ts';
import { byTrackingKey, trackingKey } from './tracking-key.ts';

/** Scans of labels. Only the processing status of a scan can change. */
export const ScanEvent = defineResource('ScanEvent', {
  words: { title: 'barcode' },
  scope: 'shipping',
  fields: {
    scanType: { createOnly: true },
    processingStatus: {},
    trackingNumber: { createOnly: true, comparedAs: byTrackingKey },
    barcode: { createOnly: true },
    detectedCarrier: {
      createOnly: true,
      default: ({ data: { trackingNumber, barcode } }) => detectCarrier(trackingNumber) ?? detectCarrier(barcode),
    },
    scannedAt: { createOnly: true },
  },
  list: {
    search: ['barcode', 'trackingNumber', 'detectedCarrier'],
  },
  access: { actions: ['list', 'read', 'create', 'update'] },
  rest: {
    path: '/mailroom/scan-events',
    actions: ['list', 'read', 'create'],
    parameters: { scannedAfter: 'scannedAt.gte', scannedBefore: 'scannedAt.lt' },
  },
  hooks: {
    validate({ row: { trackingNumber, barcode }, errors }): FieldErrors {
      const isGiven = trackingNumber != null || barcode != null;
      // A number that is not accepted is given too.
      if (isGiven || 'trackingNumber' in errors || 'barcode' in errors) return {};
      return {
        trackingNumber: 'is required, unless there is a barcode',
        barcode: 'is required, unless there is a tracking number',
      };
    },
    afterOperation: { create: ({ context, row }) => receivePackages(row, context) },
  },
});

/** Marks the packages expected under a scanned number as received. */
async function receivePackages({ trackingNumber, barcode, scannedAt }: Scan, context: Context): Promise<void> {
  const keys = [trackingNumber, barcode].flatMap((number) => (number === null ? [] : trackingKey(number)));
  const where = { status: 'EXPECTED', trackingKey: { in: keys.filter((key) => key !== '') } };
  await updateAllBySystem(ExpectedPackage, where, { status: 'RECEIVED', receivedAt: scannedAt }, context);
}
