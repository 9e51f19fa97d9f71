import { Button, Group, Stack, Text } from '@mantine/core';
import { Link, LinkButton, PageButton } from '../../app/Link.tsx';
import { useCompany } from '../../console/company.ts';
import { type Collection, useCollections } from '../../console/definitions.ts';
import { Section, Tag, usePlaceData, Waiting } from '../../console/Place.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../texts/places-set-up.ts';
import { inSentence } from '../../texts/texts.ts';

/** What a new company needs, in the order in which one refers to the other. */
const steps = (): readonly { readonly type: string; readonly text: string }[] => [
  { type: 'Building', text: t('everythingElseIsInABuilding') },
  {
    type: 'Area',
    text: t('roomsAndOtherPlacesWithTheir'),
  },
  { type: 'Desk', text: t('desksByBuildingAndFloorWhich') },
  { type: 'User', text: t('colleaguesChooseAPasswordByThe') },
  { type: 'Vendor', text: t('companiesThatYouOrderFromOr') },
  { type: 'Asset', text: t('machinesAndFurnitureThatAreMaintained') },
  { type: 'InventoryItem', text: t('whatIsKeptInStockWith') },
  { type: 'Lease', text: t('contractsWhoseEndsAndPaymentsAre') },
];

/** The first user is whoever set the company up. */
const countsOf = (type: string, count: number) => (type === 'User' ? count > 1 : count > 0);

interface Props {
  /** The types of which the person may create rows. */
  readonly creatable: ReadonlySet<string>;
  /** Begins an import. @param type of the rows */
  readonly onImport: (type: string) => void;
}

/** The steps of a new company, each done when it has rows. */
export function Checklist({ creatable, onImport }: Props) {
  const collections = useCollections();
  const shown = steps().flatMap((step) => {
    const collection = collections.get(step.type);
    return collection?.listField ? [{ ...step, collection }] : [];
  });
  const query = `query SetUp { ${shown
    .map(({ type, collection }) => `${type}: ${collection.listField}(first: 1) { totalCount }`)
    .join(' ')} }`;
  const { data, error } = usePlaceData<Readonly<Record<string, { readonly totalCount: number }>>>(
    'set-up',
    query,
    shown.map(({ type }) => type),
  );
  if (!data) return <Waiting error={error} />;
  const counted = shown.map((step) => ({ ...step, count: data[step.type]?.totalCount ?? 0 }));
  const done = counted.filter(({ type, count }) => countsOf(type, count)).length;
  return (
    <Section title={t('whatACompanyNeeds')}>
      <Text role="status">
        {done === counted.length
          ? t('everythingIsThere')
          : t('doneOfCountStepsAreDone', { done, count: counted.length })}
      </Text>
      <ol className="list">
        {counted.map(({ type, text, collection, count }) => (
          <li key={type}>
            <Step
              collection={collection}
              text={text}
              count={count}
              canCreate={creatable.has(type)}
              onImport={() => onImport(type)}
            />
          </li>
        ))}
      </ol>
    </Section>
  );
}

interface StepProps {
  readonly collection: Collection;
  readonly text: string;
  readonly count: number;
  readonly canCreate: boolean;
  readonly onImport: () => void;
}

/** One step: how far it is, and the ways to go on. */
function Step({ collection: { type, page, plural, label }, text, count, canCreate, onImport }: StepProps) {
  const { slug } = useCompany();
  const isPeople = type === 'User';
  const title = isPeople ? t('people') : plural;
  const name = `${title} (${formatNumber(count)})`;
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={2} style={{ flex: '1 1 18rem' }}>
        <Group gap="xs">
          {page ? (
            <Link fw={600} to="/c/$company/$collection" params={{ company: slug, collection: page }}>
              {name}
            </Link>
          ) : (
            <Text fw={600}>{name}</Text>
          )}
          {countsOf(type, count) ? <Tag color="green">{t('done')}</Tag> : <Tag>{t('toDo')}</Tag>}
        </Group>
        <Text size="sm">{text}</Text>
      </Stack>
      <Group gap="xs">
        {isPeople && (
          <PageButton variant="default" size="xs" to="/people">
            {t('openPeople')}
          </PageButton>
        )}
        {canCreate && page && (
          <LinkButton
            variant="default"
            size="xs"
            to="/c/$company/$collection/new"
            params={{ company: slug, collection: page }}
          >
            {t('newLabel', { label: inSentence(label) })}
          </LinkButton>
        )}
        {canCreate && (
          <Button
            variant="default"
            size="xs"
            onClick={onImport}
            aria-label={t('importPlural', { plural: inSentence(plural) })}
          >
            {t('import')}
          </Button>
        )}
      </Group>
    </Group>
  );
}
