import { Alert, Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { runQuery } from '../api/graphql.ts';
import { Link, PageButton } from '../app/Link.tsx';
import type { Filter } from '../app/search.ts';
import { usePageTitle } from '../components/usePageTitle.ts';
import { usePageSession } from '../console/company.ts';
import { useCollections } from '../console/definitions.ts';
import { formatNumber } from '../format.ts';
import { t } from '../texts/places-start.ts';

/** A figure of the start page: how many rows of a list match, which leads to them. */
interface Figure {
  readonly label: string;
  readonly type: string;
  readonly filter: Filter;
}

/** Where a person begins: what waits for them. */
export default function Start() {
  const { person, company, role } = usePageSession();
  usePageTitle(t('start'));
  const collections = useCollections();
  const figures: Figure[] = [
    {
      label: t('openRequestsAssignedToMe'),
      type: 'ServiceRequest',
      filter: { assignedTo: { in: [person.id] }, status: { in: ['PENDING', 'IN_PROGRESS'] } },
    },
    {
      label: t('myOpenRequests'),
      type: 'ServiceRequest',
      filter: { createdBy: { in: [person.id] }, status: { in: ['PENDING', 'IN_PROGRESS'] } },
    },
    {
      label: t('policiesToAcknowledge'),
      type: 'HrDocument',
      filter: {
        requiresAcknowledgment: { eq: true },
        status: { in: ['ACTIVE'] },
        acknowledgments: { none: { userId: { eq: person.id } } },
      },
    },
    {
      label: t('trainingToComplete'),
      type: 'TrainingProgram',
      filter: {
        isMandatory: { eq: true },
        status: { in: ['ACTIVE'] },
        completions: { none: { userId: { eq: person.id }, passed: { eq: true } } },
      },
    },
    {
      label: t('parcelsOnTheirWayToMe'),
      type: 'Shipment',
      filter: { recipient: { contains: person.full_name }, status: { in: ['PENDING', 'SHIPPED'] } },
    },
    ...(role === 'member'
      ? []
      : [{ label: t('requisitionsToDecide'), type: 'Requisition', filter: { status: { in: ['PENDING'] } } }]),
    { label: t('packagesExpected'), type: 'ExpectedPackage', filter: { status: { in: ['EXPECTED'] } } },
  ];
  const shown = figures.flatMap((figure) => {
    const collection = collections.get(figure.type);
    return collection?.page ? [{ ...figure, collection, page: collection.page }] : [];
  });
  // An admin of a company without buildings has all to set up.
  const buildings = role === 'admin' ? collections.get('Building')?.listField : undefined;
  const { data } = useQuery({
    queryKey: ['rows', 'start', buildings, shown.map(({ filter }) => filter)],
    meta: { types: ['Building', ...shown.map(({ type }) => type)] },
    queryFn: ({ signal }) => {
      const types = shown.map(({ type }, n) => `$f${n}: ${type}Filter`).join(', ');
      const fields = shown.map(
        ({ collection }, n) => `f${n}: ${collection.listField}(first: 1, filter: $f${n}) { totalCount }`,
      );
      if (buildings) fields.push(`buildings: ${buildings}(first: 1) { totalCount }`);
      const variables = Object.fromEntries(shown.map(({ filter }, n) => [`f${n}`, filter]));
      return runQuery<Record<string, { totalCount: number }>>(
        `query Start(${types}) { ${fields.join(' ')} }`,
        variables,
        signal,
      );
    },
    enabled: shown.length > 0,
  });
  return (
    <Stack>
      <Title order={1} size="h2">
        {t('helloFullName', { full_name: person.full_name })}
      </Title>
      {data?.['buildings']?.totalCount === 0 && (
        <Alert title={t('thisCompanyIsEmpty')}>
          <Stack gap="xs" align="flex-start">
            <Text>{t('addBuildingsRoomsAndPeopleOr')}</Text>
            <PageButton to={`/c/${company.slug}/set-up`}>{t('setUp')}</PageButton>
          </Stack>
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
        {shown.map(({ label, page, filter }, n) => (
          <Card key={label} withBorder padding="md">
            <Text fz={28} fw={700} className="number">
              {data ? formatNumber(data[`f${n}`]?.totalCount ?? 0) : '…'}
            </Text>
            <Link to="/c/$company/$collection" params={{ company: company.slug, collection: page }} search={{ filter }}>
              {label}
            </Link>
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
