// What the page for setting up makes of texts and definitions.
import { expect, test } from '@jest/globals';
import { loggedTypes } from '../../src/schema/changes/change-view.ts';
import { api } from '../../src/schema/index.ts';
import { readPeople } from '../../web/src/places/set-up/invitations.ts';
import { importName, mappingOf } from '../../web/src/places/set-up/mapping.ts';

test('people are read with and without names, one a line or several', () => {
  expect(
    readPeople(
      'Ada Lovelace <ada@acme.com>\n"Bo, Ben" bo@acme.com\n\ncleo.d_e@acme.com; dora@acme.com\nADA@acme.com\nnobody',
    ),
  ).toEqual({
    people: [
      { email: 'ada@acme.com', fullName: 'Ada Lovelace' },
      { email: 'bo@acme.com', fullName: 'Bo Ben' },
      { email: 'cleo.d_e@acme.com', fullName: 'Cleo D E' },
      { email: 'dora@acme.com', fullName: 'Dora' },
    ],
    unread: ['nobody'],
  });
});

test('the lists of resources are called as the enum of imports calls the resources', () => {
  const names = new Map(loggedTypes(api.resources).map(({ type, name }) => [type, name]));
  const queries = api.schema.getQueryType()?.getFields() ?? {};
  for (const { type, parent, actions } of api.resources) {
    if (parent || !actions.includes('create')) continue;
    const listField = Object.keys(queries).find((field) => importName({ listField: field }) === names.get(type));
    expect([type, String(listField && queries[listField]?.type)]).toEqual([type, `${type}Connection`]);
  }
});

test('all columns are named to the service, those that say by which field a row is known by their header alone', () => {
  const columns = [
    { position: 1, header: 'Firma', field: null, by: null, examples: [] },
    { position: 2, header: 'email', field: 'email', by: null, examples: [] },
    { position: 3, header: 'building.code', field: 'buildingId', by: 'code', examples: [] },
    { position: 4, header: 'Farbe', field: null, by: null, examples: [] },
  ];
  expect(mappingOf(columns, new Map([[1, 'companyName']]))).toEqual([
    { column: '1', field: 'companyName' },
    { column: '2', field: 'email' },
    { column: '4', field: null },
  ]);
});
