import type { ActiveStatus, AdjustmentType } from '../../database/generated/client/client.ts';
import type { Person } from '../people.ts';
import { grace, ingrid, jonas, priya, samuel, tomas } from '../people.ts';
import type { BuildingCode } from '../places.ts';

/** A manual adjustment of an item's stock, a number of days ago. */
export interface Adjustment {
  days: number;
  type: AdjustmentType;
  quantity: number;
  reason: string;
  by: Person;
}

/** An item of the store, with its changes besides deliveries. */
export interface Item {
  sku: string;
  name: string;
  category: string;
  unit: string;
  unitCost: number;
  reorderPoint: number | null;
  kept: BuildingCode;
  description: string | null;
  adjustments: readonly Adjustment[];
  status?: ActiveStatus;
}

const counted = (days: number, quantity: number, reason = 'First count', by = priya): Adjustment => ({
  days,
  type: 'CORRECTION',
  quantity,
  reason,
  by,
});
const used = (days: number, quantity: number, reason: string, by: Person): Adjustment => ({
  days,
  type: 'REMOVAL',
  quantity,
  reason,
  by,
});
const returned = (days: number, quantity: number, reason: string, by: Person): Adjustment => ({
  days,
  type: 'ADDITION',
  quantity,
  reason,
  by,
});

const item = (
  kept: BuildingCode,
  category: string,
  sku: string,
  name: string,
  unit: string,
  unitCost: number,
  reorderPoint: number | null,
  description: string | null,
  adjustments: readonly Adjustment[],
  status?: ActiveStatus,
): Item => ({ sku, name, category, unit, unitCost, reorderPoint, kept, description, adjustments, status });

/** The demo company's inventory items. Deliveries are in purchases.ts. */
export const items: readonly Item[] = [
  item('ND', 'Electrical', 'EL-1201', 'LED tube, 120 cm', 'piece', 7.85, 40, '18 W, 4000 K, for the ceiling panels', [
    counted(175, 120),
    used(120, 24, 'Corridors of Harbour House', ingrid),
    used(75, 30, 'Sales floor', ingrid),
    used(30, 18, 'Packing hall', ingrid),
  ]),
  item('ND', 'Electrical', 'EL-2210', 'Emergency light battery', 'piece', 14.2, 10, 'NiMH 4.8 V, four years', [
    counted(175, 14),
    used(140, 6, 'Yearly exchange, Mill Annex', ingrid),
    used(60, 8, 'Yearly exchange, Linden Laboratory', ingrid),
    counted(20, 19, 'One was missing at the count'),
  ]),
  item('HH', 'Electrical', 'EL-3300', 'LED driver for ceiling panels', 'piece', 22.5, 8, '40 W, dimmable', [
    counted(174, 12),
    used(95, 3, 'Flicker above the window desks', ingrid),
    used(9, 4, 'Sales floor again', ingrid),
  ]),
  item(
    'ND',
    'Electrical',
    'EL-0150',
    'Fluorescent tube, 150 cm',
    'piece',
    4.1,
    null,
    'No longer bought: replaced by LED',
    [counted(174, 30), used(130, 22, 'Last ones in the archive', ingrid), used(101, 8, 'Taken to recycling', samuel)],
    'INACTIVE',
  ),
  item('ND', 'HVAC', 'HV-4592', 'Air filter G4, 592 x 592', 'piece', 18.9, 24, 'Pre-filter of every air handler', [
    counted(172, 48),
    used(125, 24, 'Summer exchange', tomas),
    used(40, 24, 'Autumn exchange', tomas),
    used(4, 6, 'Clogged by the building site next door', tomas),
  ]),
  item('ND', 'HVAC', 'HV-7592', 'Air filter F7, 592 x 592', 'piece', 31.4, 16, 'Fine filter, laboratory and offices', [
    counted(172, 32),
    used(125, 12, 'Summer exchange', tomas),
    used(40, 12, 'Autumn exchange', tomas),
  ]),
  item('ND', 'HVAC', 'HV-1250', 'V-belt SPA 1250', 'piece', 11.3, 6, null, [
    counted(172, 10),
    used(88, 2, 'Exhaust fan, Linden Laboratory', tomas),
    used(22, 1, 'Supply fan, Orchard Pavilion', tomas),
  ]),
  item('HH', 'HVAC', 'HV-0300', 'Thermostat valve head', 'piece', 16.75, 12, null, [
    counted(171, 30),
    used(105, 9, 'Second floor, Harbour House', tomas),
    used(33, 8, 'Mill Annex', tomas),
  ]),
  item('HH', 'Plumbing', 'PL-0100', 'Tap washer set', 'set', 3.2, 20, 'Twelve sizes', [
    counted(171, 50),
    used(110, 12, 'Kitchenettes', tomas),
    used(50, 9, 'Gym and nursery', tomas),
  ]),
  item('HH', 'Plumbing', 'PL-0450', 'Flush valve', 'piece', 27.9, 5, null, [
    counted(171, 9),
    used(90, 2, 'Reception', tomas),
    used(15, 3, 'Canteen', tomas),
  ]),
  item('HH', 'Office', 'OF-A480', 'Copier paper A4', 'box', 21.5, 30, 'Five reams of 500 sheets, 80 g', [
    counted(180, 40),
    used(150, 25, 'All floors', priya),
    used(80, 30, 'All floors', priya),
    used(10, 20, 'All floors', priya),
  ]),
  item('HH', 'Office', 'OF-1150', 'Whiteboard marker', 'box', 9.4, 10, 'Ten, four colors', [
    counted(180, 20),
    used(100, 5, 'Meeting rooms', priya),
    used(37, 4, 'Training room', priya),
    returned(36, 1, 'One box was not needed', grace),
  ]),
  item('ND', 'Cleaning', 'CL-2000', 'Hand towel, folded', 'carton', 24.6, 25, '3,000 sheets', [
    counted(178, 60),
    used(135, 40, 'All buildings', samuel),
    used(48, 45, 'All buildings', samuel),
  ]),
  item('ND', 'Cleaning', 'CL-0510', 'Floor cleaner, neutral', 'canister', 17.8, 10, '10 liters', [
    counted(178, 24),
    used(100, 10, 'All buildings', samuel),
    used(28, 6, 'All buildings', samuel),
  ]),
  item('LL', 'Laboratory', 'LB-0090', 'Sticky mat for the clean room', 'pack', 46, 6, 'Four pads of 30 layers', [
    counted(165, 12),
    used(115, 6, 'Clean room', jonas),
    used(45, 5, 'Clean room', jonas),
    used(13, 4, 'Clean room', jonas),
  ]),
  item('LL', 'Laboratory', 'LB-0220', 'Nitrile gloves, M', 'box', 8.95, 50, '100 gloves, powder-free', [
    counted(165, 120),
    used(120, 60, 'Wet lab', jonas),
    used(55, 70, 'Wet lab and calibration', jonas),
    used(8, 55, 'Wet lab and calibration', jonas),
  ]),
  item('LL', 'Laboratory', 'LB-0704', 'pH buffer 7.00', 'bottle', 19.5, 8, '500 ml, certified', [
    counted(160, 15),
    used(80, 4, 'Calibration bay', jonas),
    counted(26, 10, 'One was past its date', jonas),
  ]),
  item('HH', 'Safety', 'SF-0031', 'Fire blanket', 'piece', 28, 4, '1.2 x 1.8 m', [
    counted(168, 6),
    used(62, 3, 'Canteen and tea kitchens', priya),
  ]),
  item('LL', 'Safety', 'SF-0110', 'Safety goggles', 'piece', 6.4, 20, null, [
    counted(168, 40),
    used(90, 12, 'New starters', jonas),
    used(19, 5, 'Visitors', jonas),
  ]),
  item('ND', 'Packaging', 'PK-0500', 'Pallet wrap', 'roll', 7.1, 40, '500 mm, 300 m', [
    counted(166, 90),
    used(98, 35, 'Packing hall', samuel),
    used(41, 25, 'Packing hall', samuel),
  ]),
  item('ND', 'Packaging', 'PK-4040', 'Cardboard box, 40 cm', 'piece', 0.92, 500, 'Double wall', [
    counted(166, 1800),
    used(92, 600, 'Packing hall', samuel),
    used(36, 450, 'Packing hall', samuel),
  ]),
];
