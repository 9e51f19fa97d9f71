import { Stack } from '@mantine/core';
import { actionOf, useCollections, useDefinition } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, Section, usePlaceData, Waiting } from '../console/Place.tsx';
import { t } from '../texts/places-stock.ts';
import { LowStock } from './stock/LowStock.tsx';
import { OneOrder, OneRequisition } from './stock/Orders.tsx';
import { type Data, query, underwayIds } from './stock/steps.ts';

/** The types of what is shown. */
const read = ['InventoryItem', 'Requisition', 'PurchaseOrder', 'ReceivingRecord'];

/** Low stock, what is asked for, ordered and received: each step goes on from the last one. */
export default function StockPlace() {
  const collections = useCollections();
  return read.every((type) => collections.has(type)) ? <StockAndPurchasing /> : <Missing />;
}

function StockAndPurchasing() {
  const { data, error } = usePlaceData<Data>('stock', query, read);
  const mayRequest = actionOf(useDefinition('Requisition'), 'create') !== undefined;
  const mayOrder = actionOf(useDefinition('PurchaseOrder'), 'create') !== undefined;
  const mayReceive = actionOf(useDefinition('ReceivingRecord'), 'create') !== undefined;
  return (
    <Place title={t('stockAndPurchasing')}>
      {data ? (
        <Stack gap="xl">
          <Section title={t('1LowStock')} empty={data.items.nodes.length === 0 && t('noItemIsBelowItsReorder')}>
            {mayRequest ? <LowStock items={data.items.nodes} underway={underwayIds(data)} /> : null}
          </Section>
          <Section
            title={t('2AskedFor')}
            empty={data.requisitions.nodes.length === 0 && t('noRequisitionWaitsForApprovalOr')}
          >
            <ul className="list">
              {data.requisitions.nodes.map((row) => (
                <li key={row.id}>
                  <OneRequisition row={row} isWriter={mayOrder} />
                </li>
              ))}
            </ul>
          </Section>
          <Section title={t('3Ordered')} empty={data.orders.nodes.length === 0 && t('noOrderIsOnItsWay')}>
            <ul className="list">
              {data.orders.nodes.map((row) => (
                <li key={row.id}>
                  <OneOrder row={row} isReceiver={mayReceive} />
                </li>
              ))}
            </ul>
          </Section>
        </Stack>
      ) : (
        <Waiting error={error} />
      )}
    </Place>
  );
}
