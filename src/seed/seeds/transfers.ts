import type { TransferStatus } from '../../database/generated/client/client.ts';
import { InventoryTransfer } from '../../schema/procurement/transfer.ts';
import type { Seed } from '../context.ts';
import type { BuildingCode } from '../places.ts';

const transfer = (
  days: number,
  status: TransferStatus,
  sku: string,
  quantity: number,
  from: BuildingCode,
  to: BuildingCode,
  reason: string,
) => ({ days, status, sku, quantity, from, to, reason });

const table = [
  transfer(96, 'COMPLETED', 'CL-2000', 12, 'ND', 'OP', 'For the summer courses'),
  transfer(74, 'COMPLETED', 'EL-1201', 30, 'ND', 'HH', 'Exchange on the sales floor'),
  transfer(41, 'COMPLETED', 'HV-4592', 12, 'ND', 'LL', 'Autumn exchange'),
  transfer(27, 'CANCELLED', 'SF-0110', 10, 'LL', 'ND', 'The depot had enough after all'),
  transfer(6, 'COMPLETED', 'OF-A480', 8, 'HH', 'MA', 'The annex had run out'),
  transfer(1.2, 'IN_TRANSIT', 'PK-0500', 20, 'ND', 'MA', 'Packing of the design samples'),
  transfer(0.5, 'PENDING', 'CL-0510', 4, 'ND', 'OP', 'Before the open day'),
];

/** Inventory transfers between the demo company's buildings. */
export const transfers: Seed = async (seed) => {
  for (const { days, sku, from, to, ...columns } of table) {
    const places = { fromLocationId: seed.building(from), toLocationId: seed.building(to) };
    await seed.create(InventoryTransfer, { at: seed.ago(days) }, { ...columns, ...places, itemId: seed.id(sku) });
  }
};
