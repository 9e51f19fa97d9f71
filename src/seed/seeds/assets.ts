import type { AssetCondition, AssetStatus, MaintenanceType } from '../../database/generated/client/client.ts';
import type { Person } from '../people.ts';
import { amira, david, elena, grace, ingrid, jonas, kofi, nora, priya, samuel, tomas } from '../people.ts';
import type { BuildingCode } from '../places.ts';

/** The company's own list of categories. */
const category = {
  machines: '3f0c5b1e-6a58-4c0e-9d0f-0b7b6b6a1d01',
  instruments: '8d2a7c94-41f3-4b8e-a6b5-2f4d8c9e7a02',
  computers: 'b6e1f0a3-9c27-4d61-8e3a-5a1c7d2f4b03',
  vehicles: 'e47d9b52-0f86-4a3b-b1c8-7c6e5d4f3a04',
  building: '17c8e6d5-2b94-4f7a-9e61-8d3b2a1c0f05',
};

/** The place and holder of an asset, from a number of days ago. */
type Stay = readonly [days: number, place: BuildingCode, holder: Person | null, reason?: string];

/** Maintenance of an asset, a number of days from today; completed if `done`. */
export type Work = readonly [
  days: number,
  type: MaintenanceType,
  description: string,
  cost: number | null,
  done?: 'done',
];

/** An asset of the demo company. */
export interface AssetPlan {
  assetName: string;
  model: string;
  serialNumber: string | null;
  categoryId: string;
  /** Days ago. */
  purchased: number;
  purchasePrice: number;
  condition: AssetCondition;
  status?: AssetStatus;
  description?: string;
  /** The first is the place at creation; each other one is a transfer. */
  stays: readonly [Stay, ...Stay[]];
  work: readonly Work[];
}

const asset = (
  assetName: string,
  kind: keyof typeof category,
  model: string,
  serialNumber: string | null,
  purchased: number,
  purchasePrice: number,
  condition: AssetCondition,
  stays: AssetPlan['stays'],
  work: readonly Work[] = [],
  more: Pick<AssetPlan, 'status' | 'description'> = {},
): AssetPlan => ({
  assetName,
  categoryId: category[kind],
  model,
  serialNumber,
  purchased,
  purchasePrice,
  condition,
  stays,
  work,
  ...more,
});

/** The demo company's assets. */
export const assets: readonly AssetPlan[] = [
  asset(
    'Elevator A',
    'building',
    'Meridian M6',
    'M6-20417-A',
    2920,
    78_000,
    'GOOD',
    [[185, 'HH', null]],
    [
      [-95, 'INSPECTION', 'Yearly inspection', 420, 'done'],
      [-12, 'PREVENTIVE', 'Grease rails and check the brake', 320],
      [80, 'PREVENTIVE', 'Quarterly service', 320],
    ],
  ),
  asset(
    'Elevator B',
    'building',
    'Meridian M6',
    'M6-20417-B',
    2920,
    78_000,
    'FAIR',
    [[185, 'HH', null]],
    [
      [-60, 'CORRECTIVE', 'Door contact replaced', 812.5, 'done'],
      [-12, 'PREVENTIVE', 'Grease rails and check the brake', 320],
    ],
  ),
  asset(
    'Air handler, roof',
    'building',
    'Zephyr 12k',
    'Z12-00871',
    1900,
    24_600,
    'GOOD',
    [[184, 'HH', null]],
    [
      [-40, 'PREVENTIVE', 'Autumn exchange of filters', 460, 'done'],
      [140, 'PREVENTIVE', 'Spring exchange of filters', 460],
    ],
  ),
  asset(
    'Cooling unit 1',
    'building',
    'Kelvin C9',
    'KC9-3312',
    1480,
    9800,
    'GOOD',
    [[184, 'LL', tomas]],
    [
      [-70, 'PREVENTIVE', 'Coils cleaned', 210, 'done'],
      [20, 'INSPECTION', 'Leak check', 180],
    ],
  ),
  asset(
    'Cooling unit 2',
    'building',
    'Kelvin C9',
    'KC9-3313',
    1480,
    9800,
    'POOR',
    [[184, 'LL', tomas]],
    [
      [-58, 'CORRECTIVE', 'Control board replaced', 640, 'done'],
      [-5, 'INSPECTION', 'Leak check', 180],
    ],
  ),
  asset(
    'Emergency generator',
    'machines',
    'Dynamo 80 kVA',
    'DY80-1177',
    2500,
    21_400,
    'GOOD',
    [[183, 'ND', ingrid]],
    [
      [-28, 'INSPECTION', 'Run under load for an hour', null, 'done'],
      [2, 'INSPECTION', 'Run under load for an hour', null],
    ],
  ),
  asset(
    'Forklift, electric',
    'vehicles',
    'Marlin E16',
    'E16-55021',
    1100,
    17_900,
    'FAIR',
    [[183, 'ND', samuel]],
    [
      [-160, 'INSPECTION', 'Yearly safety inspection', 140, 'done'],
      [-21, 'CORRECTIVE', 'Left fork is bent', 390],
    ],
  ),
  asset(
    'Pallet wrapper',
    'machines',
    'Spindle R2',
    'R2-4190',
    800,
    6200,
    'GOOD',
    [
      [180, 'MA', priya],
      [92, 'ND', samuel, 'The packing hall needs it more'],
    ],
    [[9, 'PREVENTIVE', 'Clean and oil the turntable', 60]],
  ),
  asset(
    'Floor scrubber',
    'machines',
    'Swift 55',
    'SW55-0713',
    620,
    3450,
    'GOOD',
    [[178, 'HH', samuel]],
    [
      [-33, 'PREVENTIVE', 'Brushes and squeegee replaced', 95, 'done'],
      [57, 'PREVENTIVE', 'Battery check', 40],
    ],
  ),
  asset(
    'Reference meter',
    'instruments',
    'Precisa 8508',
    'P8508-0032',
    1300,
    14_750,
    'EXCELLENT',
    [
      [176, 'HH', jonas],
      [61, 'LL', jonas, 'Bench 6 of the calibration bay'],
    ],
    [
      [-62, 'INSPECTION', 'Calibrated before the move', 980, 'done'],
      [303, 'INSPECTION', 'Yearly calibration', 980],
    ],
  ),
  asset(
    'Incubator 1',
    'instruments',
    'Thermia I-120',
    'TI120-771',
    900,
    4200,
    'GOOD',
    [[176, 'LL', jonas]],
    [[33, 'PREVENTIVE', 'Validate the temperature', 150]],
  ),
  asset(
    'Incubator 2',
    'instruments',
    'Thermia I-120',
    'TI120-772',
    900,
    4200,
    'GOOD',
    [[176, 'LL', jonas]],
    [[33, 'PREVENTIVE', 'Validate the temperature', 150]],
  ),
  asset(
    'Fume hood 2',
    'instruments',
    'Aerolab F15',
    'AF15-209',
    2100,
    7300,
    'FAIR',
    [[175, 'LL', null]],
    [
      [-110, 'CORRECTIVE', 'Sensor tube cleaned and calibrated', 120, 'done'],
      [-3, 'INSPECTION', 'Yearly flow test', 260],
    ],
  ),
  asset('Laptop LK-0231', 'computers', 'Notebook 14', 'NB14-9F231', 410, 1190, 'GOOD', [
    [170, 'HH', amira],
    [35, 'HH', david, 'Exchanged for a lighter one'],
  ]),
  asset('Laptop LK-0244', 'computers', 'Notebook 14 Air', 'NBA14-2C244', 38, 1420, 'EXCELLENT', [
    [37, 'HH', null],
    [35, 'HH', amira, 'For traveling'],
  ]),
  asset(
    'Laptop LK-0198',
    'computers',
    'Notebook 13',
    'NB13-77198',
    1500,
    990,
    'POOR',
    [
      [170, 'HH', elena],
      [66, 'ND', kofi, 'Battery swollen, kept for the recycler'],
    ],
    [],
    { status: 'RETIRED' },
  ),
  asset(
    'Plotter',
    'computers',
    'Wideline 44',
    'WL44-0102',
    1250,
    3890,
    'FAIR',
    [[168, 'MA', grace]],
    [[-18, 'CORRECTIVE', 'Print head replaced', 270, 'done']],
  ),
  asset(
    'Franking machine',
    'machines',
    'Postalia Q7',
    'PQ7-61018',
    980,
    2150,
    'GOOD',
    [
      [168, 'MA', priya],
      [75, 'ND', kofi, 'The post room moved to the gate'],
    ],
    [[16, 'PREVENTIVE', 'Ink and scale check', 45]],
  ),
  asset(
    'Projector',
    'computers',
    'Lumen 4000',
    'LU40-3321',
    2300,
    1700,
    'POOR',
    [
      [166, 'MA', null],
      [44, 'ND', null, 'Colors have gone; a laser projector is planned'],
    ],
    [],
    { status: 'DISPOSED', description: 'Handed to the recycler' },
  ),
  asset(
    'Treadmill, left',
    'machines',
    'Stride T5',
    'ST5-8120',
    1400,
    2600,
    'FAIR',
    [[160, 'OP', null]],
    [
      [-100, 'CORRECTIVE', 'Belt lubricated', null, 'done'],
      [-8, 'PREVENTIVE', 'Quarterly care', 80],
    ],
  ),
  asset(
    'Grand piano',
    'building',
    'Albrecht 180',
    '24881',
    6900,
    12_500,
    'EXCELLENT',
    [[158, 'OP', nora]],
    [[25, 'PREVENTIVE', 'Tuning', 130]],
    { description: 'A gift of the founders' },
  ),
  asset('Delivery bicycle', 'vehicles', 'Porter 3', null, 300, 1950, 'GOOD', [[150, 'HH', kofi]]),
];
