import { Card, Text, Title } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { type ReactNode, useId, useState } from 'react';
import type { Tile } from '../api/dashboards.ts';
import type { SavedQuery } from '../api/saved-queries.ts';
import { PageLink } from '../app/Link.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useCompany } from '../console/company.ts';
import { t } from '../texts/answers.ts';
import { Answer } from './Answer.tsx';
import { readSaved, savedVariables } from './answer.ts';
import { chartOf } from './charts.ts';
import type { Source } from './links.ts';
import { labelOf, type Part } from './parts.ts';
import { ResultChart } from './ResultChart.tsx';
import { ResultTable } from './ResultTable.tsx';
import { useSourceDefinition, useTextOf } from './text.ts';

interface Props {
  readonly tile: Tile;
  /** Undefined if it was deleted, or is no longer shared with the person. */
  readonly saved: SavedQuery | undefined;
  /** What changes the tile. */
  readonly children?: ReactNode;
}

/** What a tile is called. */
export const tileTitle = ({ part }: Tile, saved: SavedQuery | undefined): string =>
  saved ? (part === '' ? saved.name : t('namePart', { name: saved.name, part: labelOf(part) })) : t('notAvailable');

/** A saved query on a dashboard. It is run once it comes into view. */
export function DashboardTile({ tile, saved, children }: Props) {
  const id = useId();
  const { slug } = useCompany();
  const { ref, entry } = useIntersection({ rootMargin: '200px' });
  const isInView = entry?.isIntersecting ?? false;
  const [isShown, setShown] = useState(false);
  if (isInView && !isShown) setShown(true);
  return (
    <Card
      ref={ref}
      component="section"
      withBorder
      padding="md"
      mih={320}
      aria-labelledby={id}
      {...(tile.isWide && { style: { gridColumn: '1 / -1' } })}
    >
      <Title order={2} size="h4" id={id} mb="sm">
        {saved ? (
          <PageLink inherit to={`/c/${slug}/saved-queries/${saved.id}`}>
            {tileTitle(tile, saved)}
          </PageLink>
        ) : (
          tileTitle(tile, saved)
        )}
      </Title>
      {!saved && <Text>{t('thisQueryWasDeletedOrIs')}</Text>}
      {saved && (isShown ? <Content tile={tile} saved={saved} /> : <LoadingSkeleton />)}
      {children}
    </Card>
  );
}

function Content({ tile, saved }: { readonly tile: Tile; readonly saved: SavedQuery }) {
  const query = readSaved(saved);
  if (!query) return <Text>{t('itChangesOrFollowsDataWhich')}</Text>;
  return (
    <Answer saved={saved} query={query} variables={savedVariables(saved)}>
      {(parts, sourceOf) => {
        const part = parts.find(({ place }) => place === tile.part);
        if (!part) return <Text>{t('theQueryNoLongerHasThis')}</Text>;
        return <OnePart tile={tile} saved={saved} part={part} source={sourceOf(part)} />;
      }}
    </Answer>
  );
}

interface PartProps {
  readonly tile: Tile;
  readonly saved: SavedQuery;
  readonly part: Part;
  readonly source: Source | undefined;
}

function OnePart({ tile, saved, part, source }: PartProps) {
  const definition = useSourceDefinition(source);
  const textOf = useTextOf(source, definition);
  const chart = chartOf(part, saved.charts, tile.kind);
  const shown = { part, source, definition, textOf };
  if (chart.kind === 'TABLE') return <ResultTable {...shown} />;
  return (
    <>
      <ResultChart {...shown} chart={chart} />
      <details>
        <summary>{t('viewAsTable')}</summary>
        <ResultTable {...shown} />
      </details>
    </>
  );
}
