import { Card, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink } from '../app/Link.tsx';
import type { ListName } from '../lists/titles.ts';
import { t } from '../texts/components.ts';

/** A grid of key figures. @param columns number of columns on a wide screen */
export function StatGrid({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: columns }} spacing="sm" m={0}>
      {children}
    </SimpleGrid>
  );
}

interface Props {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  /** Whether the figure needs attention. */
  readonly isWarning?: boolean;
  /** The list of what the figure counts. */
  readonly list?: ListName;
  /** What follows the question mark in the address of the list. */
  readonly search?: Readonly<Record<string, string>>;
}

/** The most characters of a value for which half the width of a phone is enough. */
const maxShort = 12;

/** A key figure. */
export function Stat({ label, value, note, isWarning = false, list, search }: Props) {
  return (
    <Card
      withBorder
      padding="sm"
      className={['stat', value.length > maxShort && 'long-stat', isWarning && 'warning'].filter(Boolean).join(' ')}
    >
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text
        component="dd"
        m={0}
        fw={700}
        lh={1.2}
        className="figure"
        // The style sheet makes the text so large that this many characters fit on a line.
        style={{ '--length': value.length }}
      >
        {list ? (
          <PageLink
            to={`/lists/${list}`}
            {...(search && { search })}
            aria-label={t('labelValueShowTheList', { label, value })}
            inherit
            c="inherit"
            underline="hover"
          >
            {value}
          </PageLink>
        ) : (
          value
        )}
      </Text>
      {note && (
        <Text component="dd" m={0} size="sm">
          {note}
        </Text>
      )}
    </Card>
  );
}
