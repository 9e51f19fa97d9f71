import { Center, Loader } from '@mantine/core';
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { collectionAddresses, companyAddress, pages, places } from '../../../src/pages/addresses.ts';
import { t } from '../texts/app.ts';
import { withTexts } from '../texts/texts.ts';
import { parseCreateSearch, parseListSearch, parseRowSearch } from './search.ts';

type Module = { readonly default: ComponentType };

const files = import.meta.glob<Module>(['../pages/*.tsx', '../places/*.tsx', '../console/pages/*.tsx']);

/** The component of a file, loaded when its page is opened. */
function fileOf(name: string) {
  const load = files[`../${name}.tsx`];
  if (!load) throw new Error(`There is no page ${name}.`);
  return lazyRouteComponent(() => withTexts(load()));
}

/** An address in the spelling of the router: `/c/:company` is `/c/$company`. */
type PathOf<Address extends string> = Address extends `${infer Head}:${infer Tail}`
  ? `${Head}$${PathOf<Tail>}`
  : Address;

const pathOf = <Address extends string>(address: Address) => address.replace(/:(?=\w)/g, '$') as PathOf<Address>;

const root = createRootRoute({ component: Outlet, notFoundComponent: fileOf('pages/NotFound') });

/**
 * A route for each address of each file. Only the routes of collections have types: a list of routes that is made at
 * run time would make the addresses of all of them any text.
 */
const routesOf = (folder: string, below: Readonly<Record<string, readonly string[]>>, parent: () => AnyRoute) =>
  Object.entries(below).flatMap(([name, addresses]) =>
    addresses.map((address) =>
      createRoute({ getParentRoute: parent, path: pathOf(address) || '/', component: fileOf(`${folder}/${name}`) }),
    ),
  ) as unknown as readonly [];

/** The pages of a company, whose address names it. */
export const companyRoute = createRoute({
  getParentRoute: () => root,
  path: pathOf(companyAddress),
  component: fileOf('console/pages/CompanyPages'),
});

const inCompany = { getParentRoute: () => companyRoute };

/** The table of a resource's rows. */
export const listRoute = createRoute({
  ...inCompany,
  path: pathOf(collectionAddresses.list),
  validateSearch: parseListSearch,
  component: fileOf('console/pages/ListPage'),
});

/** The form of a new row. */
export const createRowRoute = createRoute({
  ...inCompany,
  path: pathOf(collectionAddresses.create),
  validateSearch: parseCreateSearch,
  component: fileOf('console/pages/CreatePage'),
});

/** One row. */
export const rowRoute = createRoute({
  ...inCompany,
  path: pathOf(collectionAddresses.row),
  validateSearch: parseRowSearch,
  component: fileOf('console/pages/RowPage'),
});

/** The form of a row that exists. */
export const editRowRoute = createRoute({
  ...inCompany,
  path: pathOf(collectionAddresses.edit),
  component: fileOf('console/pages/EditPage'),
});

const routeTree = root.addChildren([
  ...routesOf('pages', pages, () => root),
  companyRoute.addChildren([
    ...routesOf('places', places, () => companyRoute),
    listRoute,
    createRowRoute,
    rowRoute,
    editRowRoute,
  ]),
]);

/** Reads a parameter that is no text. What looks like a number can be a room, whose 4.10 is another one than 4.1. */
function parseParameter(text: string): unknown {
  if (!/^[[{"]/.test(text)) throw new Error('This is text.');
  return JSON.parse(text);
}

/** The router of all pages. */
export const router = createRouter({
  routeTree,
  parseSearch: parseSearchWith(parseParameter),
  stringifySearch: stringifySearchWith(JSON.stringify, parseParameter),
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultPendingComponent: () => (
    <Center h="60vh">
      <Loader aria-label={t('loading')} />
    </Center>
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
