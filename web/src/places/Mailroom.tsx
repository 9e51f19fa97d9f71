import { Card, SimpleGrid, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { actionOf, useCollections, useDefinition } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, Section, usePlaceData, Waiting } from '../console/Place.tsx';

import { t } from '../texts/places-mailroom.ts';
import { Camera } from './mailroom/Camera.tsx';
import { type Package, packageFields, receive, type Shipment, shipmentFields } from './mailroom/receive.ts';
import { ScanField } from './mailroom/ScanField.tsx';
import { type Scan, Scans } from './mailroom/Scans.tsx';
import { Arrivals, Shelf } from './mailroom/Shelf.tsx';

interface Data {
  readonly shelf: { readonly totalCount: number; readonly nodes: readonly Package[] };
  readonly expected: { readonly nodes: readonly Package[] };
  readonly arriving: { readonly nodes: readonly Shipment[] };
}

const query = `query Mailroom {
  shelf: expectedPackages(
    first: 100, filter: { status: { eq: RECEIVED } }, orderBy: [{ field: RECEIVED_AT, direction: ASC }]
  ) { totalCount nodes { ${packageFields} } }
  expected: expectedPackages(
    first: 50, filter: { status: { eq: EXPECTED } }, orderBy: [{ field: EXPECTED_DATE, direction: ASC }]
  ) { nodes { ${packageFields} } }
  arriving: shipments(
    first: 50, filter: { type: { eq: INBOUND }, status: { ne: DELIVERED } }
    orderBy: [{ field: ESTIMATED_DELIVERY, direction: ASC }]
  ) { nodes { ${shipmentFields} } }
}`;

/** How many scans are shown. */
const shownScans = 8;

/** Receiving, the shelf, and handing over: a scan is a parcel. */
export default function MailroomPlace() {
  const collections = useCollections();
  return ['ExpectedPackage', 'Shipment', 'ScanEvent'].every((type) => collections.has(type)) ? (
    <Mailroom />
  ) : (
    <Missing />
  );
}

function Mailroom() {
  const { data, error } = usePlaceData<Data>('mailroom', query, ['ExpectedPackage', 'Shipment']);
  const isWriter = actionOf(useDefinition('ScanEvent'), 'create') !== undefined;
  const { scans, scan } = useScans();
  return (
    <Place title={t('mailroom')}>
      {isWriter && (
        <Card withBorder padding="md">
          <ScanField onScan={scan} />
          <Camera onScan={scan} />
          <Scans scans={scans} />
        </Card>
      )}
      {data ? (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
          <Section
            title={t('onTheShelf', { count: data.shelf.totalCount })}
            empty={data.shelf.nodes.length === 0 && t('nothingWaitsHereScanAParcel')}
          >
            <Text size="sm" c="dimmed">
              {t('guestsSeeOnThePageOf')}
            </Text>
            <Shelf packages={data.shelf.nodes} isWriter={isWriter} />
          </Section>
          <Section
            title={t('expected')}
            empty={data.expected.nodes.length + data.arriving.nodes.length === 0 && t('nobodyExpectsAnything')}
          >
            <Arrivals packages={data.expected.nodes} shipments={data.arriving.nodes} />
          </Section>
        </SimpleGrid>
      ) : (
        <Waiting error={error} />
      )}
    </Place>
  );
}

/** The scans of this visit. Several can be on their way, as scanners do not wait. */
function useScans() {
  const [scans, setScans] = useState<readonly Scan[]>([]);
  const lastKey = useRef(0);
  function scan(code: string) {
    const key = ++lastKey.current;
    setScans((before) => [{ key, code }, ...before].slice(0, shownScans));
    const settle = (result: Partial<Scan>) =>
      setScans((before) => before.map((each) => (each.key === key ? { ...each, ...result } : each)));
    receive(code).then(
      (outcome) => settle({ outcome }),
      (error: Error) => settle({ problem: error.message }),
    );
  }
  return { scans, scan };
}
