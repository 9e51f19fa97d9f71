import { Card, Text } from '@mantine/core';
import { StatGrid } from '../components/Stats.tsx';
import { type Chart, figuresOf } from './charts.ts';
import { Picture } from './Picture.tsx';
import { FigureLink, type ResultProps } from './ResultTable.tsx';

/** A part as a picture, or as numbers that lead to their rows. */
export function ResultChart({ chart, ...props }: ResultProps & { readonly chart: Chart }) {
  const { part, textOf } = props;
  if (chart.kind !== 'NUMBER') return <Picture part={part} chart={chart} textOf={textOf} />;
  const figures = figuresOf(part, chart, textOf);
  return (
    <StatGrid columns={Math.min(figures.length, 4)}>
      {figures.map(({ label, column, row }) => {
        const value = textOf(column, row[column.place]);
        return (
          <Card key={label} withBorder padding="sm" className={value.length > 12 ? 'stat long-stat' : 'stat'}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0} fw={700} lh={1.2} className="figure" style={{ '--length': value.length }}>
              <FigureLink {...props} row={row} column={column} name={value}>
                {value}
              </FigureLink>
            </Text>
          </Card>
        );
      })}
    </StatGrid>
  );
}
