import type { ActiveStatus } from '../../database/generated/client/client.ts';
import { Vendor } from '../../schema/vendor.ts';
import type { Seed } from '../context.ts';

const vendor = (
  companyName: string,
  vendorType: string,
  contactName: string,
  email: string,
  phone: string,
  paymentTerms: string,
  address: string,
  status?: ActiveStatus,
) => ({ companyName, vendorType, contactName, email, phone, paymentTerms, address, status });

/** The demo company's vendors, newest first. */
const table = [
  vendor(
    'Tarn Plumbing Merchants',
    'Plumbing',
    'Ruth Tarn',
    'counter@tarn-plumbing.test',
    '+44 1632 960118',
    'net 14',
    '9 Weir Road, Larkfield',
  ),
  vendor(
    'Kraft & Coil Packaging',
    'Packaging',
    'Leon Kraft',
    'orders@kraftcoil.test',
    '+44 1632 960172',
    'net 30',
    'Unit 22, Northgate Industrial Estate',
  ),
  vendor(
    'Wattle Electrical',
    'Electrical',
    'Megan Wattle',
    'trade@wattle-electrical.test',
    '+44 1632 960141',
    'net 30',
    '31 Foundry Street, Larkfield',
  ),
  vendor(
    'Pemberton Hygiene',
    'Cleaning',
    'Oliver Pemberton',
    'orders@pemberton.test',
    '+44 1632 960155',
    'net 30',
    '4 Canal Walk, Eastmere',
  ),
  vendor(
    'Harrow Laboratory Supply',
    'Laboratory',
    'Dr Simone Harrow',
    'sales@harrowlab.test',
    '+44 1632 960187',
    'net 45',
    '70 Science Drive, Larkfield',
  ),
  vendor(
    'Northstar Filters',
    'HVAC',
    'Piotr Zielinski',
    'orders@northstar-filters.test',
    '+44 1632 960126',
    'net 30',
    '2 Ropewalk, Eastmere',
  ),
  vendor(
    'Meridian Lifts',
    'Service',
    'Carla Mendes',
    'service@meridian-lifts.test',
    '+44 1632 960103',
    'net 30',
    '15 Tower Hill, Larkfield',
  ),
  vendor(
    'Cobalt Office Supply',
    'Office',
    'Hugo Lang',
    'accounts@cobalt-office.test',
    '+44 1632 960164',
    'net 30',
    '88 Market Square, Larkfield',
  ),
  vendor(
    'Brightway Safety',
    'Safety',
    'Yasmin Farouk',
    'orders@brightway.test',
    '+44 1632 960139',
    'net 30',
    '6 Beacon Yard, Eastmere',
  ),
  vendor(
    'Fernhill Coatings',
    'Paint',
    'Alan Birtwistle',
    'color@fernhill.test',
    '+44 1632 960110',
    'on delivery',
    '1 Kiln Lane, Fernhill',
  ),
  vendor(
    'Larch Removals',
    'Service',
    'Ben Larch',
    'office@larch-removals.test',
    '+44 1632 960195',
    'in advance',
    '50 Station Approach, Larkfield',
    'INACTIVE',
  ),
];

/** Creates the demo company's vendors. */
export const vendors: Seed = async (seed) => {
  for (const [nth, columns] of table.entries()) {
    await seed.create(Vendor, { at: seed.ago(160 + 3 * nth), name: columns.companyName }, columns);
  }
};
