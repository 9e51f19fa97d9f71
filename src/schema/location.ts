import { resource } from '../resource/define.ts';

/** Buildings (spec §4, Locations). */
resource('Building', {
  path: '/locations/buildings',
  scope: 'locations',
  fields: ['name', 'code', 'address', 'floors', 'squareFeet'],
  relations: [
    'areas',
    'serviceRequests',
    'paintLocations',
    'assets',
    'outgoingAssetTransfers',
    'incomingAssetTransfers',
    'desks',
    'inventoryItems',
    'outgoingTransfers',
    'incomingTransfers',
  ],
  input: ['name', 'code', 'address', 'floors', 'squareFeet'],
  search: ['name', 'address', 'code'],
});

/** Areas within buildings: REST lists them, GraphQL also writes them. */
resource('Area', {
  path: '/locations/areas',
  scope: 'locations',
  rest: ['list'],
  fields: ['buildingId', 'name', 'floor', 'kind'],
  relations: ['building'],
  input: ['buildingId', 'name', 'floor', 'kind'],
  search: ['name', 'floor', 'kind'],
});
