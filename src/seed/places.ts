/** The demo company's buildings. An area is [name, floor, kind], and its name is unique. */
export const buildings = [
  {
    code: 'HH',
    name: 'Harbour House',
    address: '12 Quay Street, Larkfield',
    floors: 6,
    squareFeet: 84_500,
    areas: [
      ['Reception', '0', 'lobby'],
      ['Canteen', '0', 'kitchen'],
      ['Accounts', '2', 'office'],
      ['Alder room', '3', 'meeting room'],
      ['Sales floor', '4', 'office'],
      ['Board room', '6', 'meeting room'],
    ],
  },
  {
    code: 'MA',
    name: 'Mill Annex',
    address: '3 Mill Lane, Larkfield',
    floors: 3,
    squareFeet: 21_300.5,
    areas: [
      ['Post room', '0', 'mailroom'],
      ['Training room', '1', 'meeting room'],
      ['Design studio', '2', 'office'],
      ['Archive', '-1', 'storage'],
    ],
  },
  {
    code: 'LL',
    name: 'Linden Laboratory',
    address: '48 Science Drive, Larkfield',
    floors: 4,
    squareFeet: 52_750,
    areas: [
      ['Wet lab', '1', 'laboratory'],
      ['Clean room', '2', 'laboratory'],
      ['Calibration bay', '0', 'workshop'],
      ['Birch room', '3', 'meeting room'],
      ['Server room', '-1', 'technical'],
    ],
  },
  {
    code: 'ND',
    name: 'Northgate Depot',
    address: 'Unit 7, Northgate Industrial Estate',
    floors: 1,
    squareFeet: 110_000,
    areas: [
      ['Loading dock', '0', 'dock'],
      ['Packing hall', '0', 'workshop'],
      ['Cold store', '0', 'storage'],
      ['Depot office', '0', 'office'],
    ],
  },
  {
    code: 'OP',
    name: 'Orchard Pavilion',
    address: '1 Orchard Way, Larkfield',
    floors: 2,
    squareFeet: 9_800,
    areas: [
      ['Gym', '0', 'leisure'],
      ['Nursery', '0', 'childcare'],
      ['Garden terrace', '0', 'outdoor'],
      ['Lecture hall', '1', 'meeting room'],
    ],
  },
] as const;

/** The code of a building of the demo. */
export type BuildingCode = (typeof buildings)[number]['code'];

/** The name of an area of the demo. */
export type AreaName = (typeof buildings)[number]['areas'][number][0];

/** The paints in store. A location is [area, surface, notes]. */
export const paints = [
  {
    name: 'Chalk White',
    colorCode: 'LK-0100',
    brand: 'Fernhill',
    finish: 'matte',
    gallonsAvailable: 42.5,
    uses: [
      ['Accounts', 'wall', 'Two coats, repainted last spring'],
      ['Sales floor', 'wall', null],
      ['Alder room', 'ceiling', null],
      ['Training room', 'wall', null],
    ],
  },
  {
    name: 'Harbour Blue',
    colorCode: 'LK-4412',
    brand: 'Fernhill',
    finish: 'satin',
    gallonsAvailable: 11.25,
    uses: [
      ['Reception', 'feature wall', 'The wall behind the desk only'],
      ['Board room', 'wall', null],
    ],
  },
  {
    name: 'Signal Yellow',
    colorCode: 'SF-1003',
    brand: 'Brightway',
    finish: 'gloss',
    gallonsAvailable: 6,
    uses: [
      ['Loading dock', 'floor marking', 'Renew every six months'],
      ['Packing hall', 'floor marking', null],
    ],
  },
  {
    name: 'Laboratory Grey',
    colorCode: 'EP-7035',
    brand: 'Solvet',
    finish: 'epoxy',
    gallonsAvailable: 18,
    uses: [
      ['Wet lab', 'floor', 'Cures for 48 hours before anybody walks on it'],
      ['Clean room', 'floor', 'Low-dust variant only'],
      ['Calibration bay', 'floor', null],
    ],
  },
  {
    name: 'Sage Green',
    colorCode: 'LK-6021',
    brand: 'Fernhill',
    finish: 'eggshell',
    gallonsAvailable: 3.75,
    uses: [
      ['Nursery', 'wall', 'Washable'],
      ['Gym', 'wall', null],
    ],
  },
  {
    name: 'Studio Black',
    colorCode: 'LK-9005',
    brand: 'Fernhill',
    finish: 'matte',
    gallonsAvailable: 2,
    uses: [['Lecture hall', 'ceiling', 'Hides the projector rig']],
  },
  {
    name: 'Door Red',
    colorCode: 'SF-3020',
    brand: 'Brightway',
    finish: 'gloss',
    gallonsAvailable: 1.5,
    uses: [
      ['Server room', 'door', 'Fire door: keep the label readable'],
      ['Archive', 'door', null],
    ],
  },
] as const satisfies readonly {
  uses: readonly (readonly [AreaName, string, string | null])[];
  [column: string]: unknown;
}[];
