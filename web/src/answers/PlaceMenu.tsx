import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SavedQuery } from '../api/saved-queries.ts';
import { t } from '../texts/answers.ts';
import { dashboardsQuery, maxTiles, useDashboardChange } from './dashboards.ts';
import type { Part } from './parts.ts';

/** Puts a part of an answer on a dashboard that the person may change. */
export function PlaceMenu({ saved, part }: { readonly saved: SavedQuery; readonly part: Part }) {
  const { data: dashboards = [] } = useQuery(dashboardsQuery);
  const { mutate, isPending } = useDashboardChange();
  const editable = dashboards.filter(({ mayEdit }) => mayEdit);
  if (editable.length === 0) return null;
  const tile = { savedQueryId: saved.id, part: part.place, kind: null, isWide: false };
  return (
    <Menu withinPortal position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          loading={isPending}
          aria-label={t('placeLabelOnADashboard', { label: part.label })}
        >
          {t('placeOnDashboard')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {editable.map((dashboard) => (
          <Menu.Item
            key={dashboard.id}
            disabled={dashboard.tiles.length >= maxTiles}
            onClick={() =>
              mutate({
                dashboard,
                changes: { tiles: [...dashboard.tiles, tile] },
                done: t('placedOnName', { name: dashboard.name }),
              })
            }
          >
            {dashboard.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
