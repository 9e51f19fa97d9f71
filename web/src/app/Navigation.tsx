import { NavLink as Item, type NavLinkProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLink, useLocation } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Session } from '../api/auth.ts';
import type { Meta } from '../api/meta.ts';
import { collectionsQuery } from '../console/definitions.ts';
import { t } from '../texts/app.ts';
import type { AnchorHtml } from './Link.tsx';

type EntryProps = NavLinkProps & AnchorHtml<NavLinkProps>;

/** An entry that leads to a page, by its address. */
const Entry = createLink((props: EntryProps) => <Item component="a" py={4} {...props} />) as ComponentType<
  EntryProps & { readonly to: string }
>;

/** A page in the navigation. */
interface PageEntry {
  readonly label: string;
  readonly to: string;
}

/** The pages that are no resources, as far as the role of the person opens them. */
function toolsOf({ role, company }: Session): readonly PageEntry[] {
  const isAdmin = role === 'admin';
  return [
    { label: t('dashboard'), to: '/dashboard' },
    ...(company
      ? [
          { label: t('dashboards'), to: `/c/${company.slug}/dashboards` },
          { label: t('savedQueries'), to: `/c/${company.slug}/saved-queries` },
        ]
      : []),
    ...(role === 'member' ? [] : [{ label: t('aiUsage'), to: '/ai-usage' }]),
    ...(isAdmin ? [{ label: t('people'), to: '/people' }] : []),
    ...(isAdmin ? [{ label: t('company'), to: '/company' }] : []),
    ...(isAdmin ? [{ label: t('securityLog'), to: '/security-log' }] : []),
    { label: t('webhooks'), to: '/webhooks' },
    { label: t('notifications'), to: '/notifications' },
    { label: t('account'), to: '/account' },
  ];
}

/** Who decides on requisitions, orders and invoices. */
const approvers: readonly Session['role'][] = ['admin', 'executive'];

/** The pages that are made by hand for one kind of work, with the types that they need to be read. */
const places = (): readonly (PageEntry & {
  readonly reads: readonly string[];
  readonly roles?: readonly Session['role'][];
})[] => [
  { label: t('myDay'), to: '/my-day', reads: [] },
  { label: t('requests'), to: '/requests', reads: ['ServiceRequest'] },
  { label: t('reportAProblem'), to: '/report', reads: ['ServiceRequest'] },
  { label: t('approvals'), to: '/approvals', reads: ['Requisition', 'PurchaseOrder', 'Invoice'], roles: approvers },
  { label: t('desks'), to: '/desk-plan', reads: ['Desk', 'WorkspaceRecord'] },
  { label: t('mailroom'), to: '/mailroom', reads: ['ExpectedPackage', 'Shipment', 'ScanEvent'] },
  {
    label: t('stockAndPurchasing'),
    to: '/stock',
    reads: ['InventoryItem', 'Requisition', 'PurchaseOrder', 'ReceivingRecord'],
  },
  { label: t('maintenance'), to: '/asset-calendar', reads: ['Asset', 'AssetMaintenance'] },
  { label: t('leasesOverTime'), to: '/lease-timeline', reads: ['Lease', 'LeaseDate', 'LeasePayment'] },
  { label: t('setUp'), to: '/set-up', reads: [], roles: ['admin'] },
];

/** The places that somebody can open, by their addresses below that of the company. */
export const placesFor = (role: Session['role'], collections: ReadonlyMap<string, unknown>): readonly PageEntry[] =>
  places().filter(
    ({ reads, roles }) => reads.every((type) => collections.has(type)) && (roles?.includes(role) ?? true),
  );

/** The links between pages: places, those of the company's resources by group, and the others. */
export function Navigation({ session, meta }: { session: Session; meta: Meta | undefined }) {
  const { role, company } = session;
  const { data: collections } = useQuery({ ...collectionsQuery, enabled: company !== null });
  const { pathname } = useLocation();
  const isHere = (to: string) => pathname === to || pathname.startsWith(`${to}/`);
  const groups = (meta?.scopeGroups ?? []).flatMap(({ name, label }) => {
    const entries = [...(collections?.values() ?? [])].flatMap(({ group, parent, page, plural }) =>
      group === name && !parent && page && company ? [{ label: plural, to: `/c/${company.slug}/${page}` }] : [],
    );
    return entries.length > 0 ? [{ label, entries }] : [];
  });
  const placeEntries = collections ? placesFor(role, collections) : [];
  // All entries come at once: those that are there would move.
  if (company && !(collections && meta)) return null;
  return (
    <nav className="navigation" aria-label={t('main')}>
      {company &&
        placeEntries.map(({ label, to }) => {
          const address = `/c/${company.slug}${to}`;
          return <Entry key={to} to={address} label={label} active={isHere(address)} />;
        })}
      {groups.map(({ label, entries: [first, ...others] }) =>
        first && others.length === 0 ? (
          <Entry key={label} to={first.to} label={first.label} active={isHere(first.to)} />
        ) : (
          <Item
            key={label}
            component="button"
            label={label}
            py={4}
            childrenOffset={12}
            defaultOpened={[first, ...others].some((entry) => entry && isHere(entry.to))}
          >
            {[first, ...others].map((entry) => entry && <Entry key={entry.to} {...entry} active={isHere(entry.to)} />)}
          </Item>
        ),
      )}
      {toolsOf(session).map(({ label, to }) => (
        <Entry key={to} to={to} label={label} active={isHere(to)} aria-current={isHere(to) ? 'page' : undefined} />
      ))}
      {/* A document of its own. */}
      <Item component="a" py={4} href="/graphql" label="GraphiQL" />
      <Entry to="/docs" label={t('apiReference')} />
    </nav>
  );
}
