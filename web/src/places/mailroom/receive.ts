// What a scan of a label does.

import { runQuery } from '../../api/graphql.ts';
import { write } from '../../console/Place.tsx';
import { t } from '../../texts/places-mailroom.ts';

/** A package that a guest registered. */
export interface Package {
  readonly id: string;
  readonly description: string;
  readonly guestName: string;
  readonly vendorName: string | null;
  readonly trackingNumber: string | null;
  readonly quantity: number;
  readonly expectedDate: string | null;
  readonly status: 'EXPECTED' | 'RECEIVED' | 'COLLECTED';
  readonly receivedAt: string | null;
}

/** A shipment to the company. */
export interface Shipment {
  readonly id: string;
  readonly description: string | null;
  readonly trackingNumber: string | null;
  readonly sender: string | null;
  readonly recipient: string | null;
  readonly estimatedDelivery: string | null;
  readonly status: 'PENDING' | 'SHIPPED' | 'DELIVERED';
}

export const packageFields =
  'id description guestName vendorName trackingNumber quantity expectedDate status receivedAt';
export const shipmentFields = 'id description trackingNumber sender recipient estimatedDelivery status';

/** What a scan led to. */
export interface Outcome {
  /** What was received by this scan, for whom. */
  readonly received: readonly string[];
  /** What had been received before. */
  readonly known: readonly string[];
}

const findQuery = `query Scanned($code: String!) {
  packages: expectedPackages(first: 10, filter: { trackingNumber: { eq: $code } }) { nodes { ${packageFields} } }
  shipments(first: 10, filter: { trackingNumber: { eq: $code }, type: { eq: INBOUND } }) { nodes { ${shipmentFields} } }
}`;

const nameOfPackage = ({ description, guestName }: Package) => t('descriptionForGuestName', { description, guestName });

function nameOfShipment({ description, sender, recipient }: Shipment): string {
  const name = description ?? (sender ? t('shipmentFrom', { sender }) : t('shipment'));
  return recipient ? t('forRecipient', { name, recipient }) : name;
}

/**
 * Records the scan of a label, and receives what is expected under its number. Packages of guests are received by the
 * service with the scan, shipments with it in one transaction.
 */
export async function receive(code: string): Promise<Outcome> {
  const { packages, shipments } = await runQuery<{
    packages: { nodes: readonly Package[] };
    shipments: { nodes: readonly Shipment[] };
  }>(findQuery, { code });
  const expected = packages.nodes.filter(({ status }) => status === 'EXPECTED');
  const underway = shipments.nodes.filter(({ status }) => status !== 'DELIVERED');
  const isFound = packages.nodes.length + shipments.nodes.length > 0;
  const updates = underway.map(
    ({ id }, n) => `s${n}: updateShipment(id: "${id}", input: { status: DELIVERED }) { id }`,
  );
  await write(
    `mutation Receive($code: String!) @atomic {
      scan: createScanEvent(input: { barcode: $code, scanType: "receive", processingStatus: ${isFound ? 'PROCESSED' : 'PENDING'} }) { id }
      ${updates.join('\n')}
    }`,
    { code },
  );
  return {
    received: [...expected.map(nameOfPackage), ...underway.map(nameOfShipment)],
    known: [
      ...packages.nodes.filter((each) => !expected.includes(each)).map(nameOfPackage),
      ...shipments.nodes.filter((each) => !underway.includes(each)).map(nameOfShipment),
    ],
  };
}

/** Notes a parcel that nobody expected, as a shipment that has arrived. */
export const addShipment = (input: {
  readonly trackingNumber: string;
  readonly recipient: string;
  readonly description: string;
}): Promise<unknown> =>
  write('mutation AddShipment($input: CreateShipmentInput!) { createShipment(input: $input) { id } }', {
    input: { ...input, description: input.description || null, type: 'INBOUND', status: 'DELIVERED' },
  });

/** Changes the status of a guest's package. */
export const setPackageStatus = (id: string, status: Package['status']): Promise<unknown> =>
  write(
    `mutation HandOver($id: ID!, $status: PackageStatus!) {
      updateExpectedPackage(id: $id, input: { status: $status }) { id }
    }`,
    { id, status },
  );
