import { Button, Checkbox, Group, NativeSelect, SimpleGrid, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { savedQueriesQuery } from '../answers/answer.ts';
import { type ChartKind, chartKinds } from '../answers/charts.ts';
import { DashboardTile, tileTitle } from '../answers/DashboardTile.tsx';
import { dashboardsQuery, useDashboardChange } from '../answers/dashboards.ts';
import { type Dashboard, deleteDashboard, type Tile } from '../api/dashboards.ts';
import type { SavedQuery } from '../api/saved-queries.ts';
import { PageLink } from '../app/Link.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { useCompany } from '../console/company.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, Waiting } from '../console/Place.tsx';
import { t } from '../texts/answers.ts';
import { Trans } from '../texts/Trans.tsx';

/** A dashboard: its tiles, which are run as they come into view. */
export default function OneDashboard() {
  const { id = '' } = useParams({ strict: false });
  const dashboards = useQuery(dashboardsQuery);
  const queries = useQuery(savedQueriesQuery);
  const { data } = dashboards;
  if (!data || !queries.data) return <Waiting error={dashboards.error ?? queries.error} />;
  const dashboard = data.find((each) => each.id === id);
  return dashboard ? <Shown key={id} dashboard={dashboard} queries={queries.data} /> : <Missing />;
}

interface Props {
  readonly dashboard: Dashboard;
  readonly queries: readonly SavedQuery[];
}

function Shown({ dashboard, queries }: Props) {
  const { slug } = useCompany();
  const [isEdited, setEdited] = useState(false);
  const { mutate, isPending } = useDashboardChange();
  const { name, mayEdit, ownedBy, tiles } = dashboard;
  const change = (next: readonly Tile[], done: string) => mutate({ dashboard, changes: { tiles: [...next] }, done });
  return (
    <Place
      title={name}
      aside={
        mayEdit && (
          <Group gap="xs">
            <Button size="xs" variant="default" aria-pressed={isEdited} onClick={() => setEdited(!isEdited)}>
              {t('edit')}
            </Button>
            <Removal dashboard={dashboard} />
          </Group>
        )
      }
    >
      <Text size="sm">
        {t(dashboard.isOfCompany ? 'dashboardOfCompany' : mayEdit ? 'dashboardOfYours' : 'dashboardOfOther', {
          ownedBy,
        })}
      </Text>
      {tiles.length === 0 && (
        <Text>
          <Trans t={t} name="itIsEmptyOpenOneOf" components={{ a: <PageLink to={`/c/${slug}/saved-queries`} /> }} />
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        {tiles.map((tile, index) => {
          const saved = queries.find(({ id }) => id === tile.savedQueryId);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same tile can be there twice
            <DashboardTile key={`${tile.savedQueryId} ${tile.part} ${index}`} tile={tile} saved={saved}>
              {isEdited && (
                <TileControls
                  title={tileTitle(tile, saved)}
                  tiles={tiles}
                  index={index}
                  isPending={isPending}
                  onChange={change}
                />
              )}
            </DashboardTile>
          );
        })}
      </SimpleGrid>
    </Place>
  );
}

interface ControlsProps {
  readonly title: string;
  readonly tiles: readonly Tile[];
  readonly index: number;
  readonly isPending: boolean;
  readonly onChange: (tiles: readonly Tile[], done: string) => void;
}

/** Moves, changes and removes a tile. */
function TileControls({ title, tiles, index, isPending, onChange }: ControlsProps) {
  const tile = tiles[index];
  if (!tile) return null;
  const change = (part: Partial<Tile>) =>
    onChange(tiles.with(index, { ...tile, ...part }), t('changedTitle', { title }));
  const move = (by: number) =>
    onChange(tiles.toSpliced(index, 1).toSpliced(index + by, 0, tile), t('movedTitle', { title }));
  return (
    <Group role="group" aria-label={t('changeTitle', { title })} mt="sm" gap="xs" align="flex-end">
      <NativeSelect
        size="xs"
        label={t('shownAs')}
        disabled={isPending}
        data={[{ value: '', label: t('asTheQueryHasIt') }, ...chartKinds()]}
        value={tile.kind ?? ''}
        // The values are those of the kinds.
        onChange={({ currentTarget }) => change({ kind: (currentTarget.value || null) as ChartKind | null })}
      />
      <Checkbox
        size="xs"
        label={t('wholeWidth')}
        disabled={isPending}
        checked={tile.isWide}
        onChange={({ currentTarget }) => change({ isWide: currentTarget.checked })}
      />
      <Button size="xs" variant="default" disabled={isPending || index === 0} onClick={() => move(-1)}>
        {t('earlier')}
      </Button>
      <Button size="xs" variant="default" disabled={isPending || index === tiles.length - 1} onClick={() => move(1)}>
        {t('later')}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={isPending}
        onClick={() => onChange(tiles.toSpliced(index, 1), t('removedTitle', { title }))}
      >
        {t('remove')}
      </Button>
    </Group>
  );
}

function Removal({ dashboard: { id, name } }: Pick<Props, 'dashboard'>) {
  const { slug } = useCompany();
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {t('delete')}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t('deleteName', { name })}
        text={t('itsQueriesStayNobodyWhoSees')}
        label={t('deleteDashboard')}
        color="red"
        errorTitle={t('couldntDeleteTheDashboard')}
        action={async () => {
          await deleteDashboard(id);
          await navigate({ href: `/c/${slug}/dashboards` });
          await client.invalidateQueries({ queryKey: dashboardsQuery.queryKey });
        }}
      />
    </>
  );
}
