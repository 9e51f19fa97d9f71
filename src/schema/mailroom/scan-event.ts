import type { Context } from '../../context.ts';
import type { ScanEvent } from '../../database/generated/client/client.ts';
import { resource } from '../../resource/define.ts';
import { before, literally, since } from '../../resource/lists.ts';
import type { Transaction } from '../../resource/writes.ts';
import { carrierOf } from './carrier.ts';

/** Labels that were scanned (spec §4, Shipping and mailroom). What happened stays; only what became of it changes. */
resource('ScanEvent', {
  path: '/mailroom/scan-events',
  scope: 'shipping',
  actions: ['list', 'read', 'create', 'update'],
  rest: ['list', 'create'],
  fields: ['scanType', 'processingStatus', 'trackingNumber', 'barcode', 'detectedCarrier', 'scannedAt'],
  input: ['scanType', 'processingStatus', 'trackingNumber', 'barcode', 'detectedCarrier', 'scannedAt'],
  fixed: ['scanType', 'trackingNumber', 'barcode', 'detectedCarrier', 'scannedAt'],
  search: ['barcode', 'trackingNumber', 'detectedCarrier'],
  filters: { scannedAfter: since('scannedAt'), scannedBefore: before('scannedAt') },
  defaults: { detectedCarrier: (_, { trackingNumber, barcode }) => carrierOf(trackingNumber) ?? carrierOf(barcode) },
  read({ target, data, faults }) {
    if (target.id !== undefined || data.trackingNumber != null || data.barcode != null) return;
    faults['trackingNumber'] ??= 'is required, unless there is a barcode';
    faults['barcode'] ??= 'is required, unless there is a tracking number';
  },
  async after({ context, tx, previous, row }) {
    if (!previous) await receivePackages(row, context, tx);
  },
});

/** Whatever package was expected under the number that was scanned has come. */
async function receivePackages(
  { trackingNumber, barcode, scannedAt }: ScanEvent,
  { caller: { companyId } }: Context,
  tx: Transaction,
): Promise<void> {
  const scanned = [trackingNumber, barcode].flatMap((number) =>
    number === null ? [] : [{ trackingNumber: { equals: literally(number), mode: 'insensitive' as const } }],
  );
  await tx.expectedPackage.updateMany({
    where: { companyId, status: 'EXPECTED', OR: scanned },
    data: { status: 'RECEIVED', receivedAt: scannedAt },
  });
}
