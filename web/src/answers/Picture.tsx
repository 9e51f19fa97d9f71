import { t } from '../texts/answers.ts';
import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { formatNumber } from '../format.ts';
import { type Chart, drawingOf } from './charts.ts';
import type { Part } from './parts.ts';
import type { TextOf } from './plain-text.ts';

interface Props {
  readonly part: Part;
  readonly chart: Chart;
  readonly textOf: TextOf;
}

/** Bars or lines of a part. Its table says the same, so screen readers leave the picture out. */
export function Picture({ part, chart, textOf }: Props) {
  if (chart.kind === 'TABLE' || chart.kind === 'NUMBER' || part.rows.length === 0) return null;
  const { points, series, leftOut } = drawingOf(part, chart, (column, value) => textOf(column, value, true));
  const common = {
    h: 280,
    data: points.map((point) => ({ ...point })),
    dataKey: 'label',
    series: series.map((each) => ({ ...each })),
    valueFormatter: formatNumber,
    withLegend: series.length > 1,
    legendProps: { verticalAlign: 'bottom' as const },
    yAxisProps: { width: 72, tickFormatter: formatNumber },
  };
  return (
    <>
      {series.length > 0 && (
        <div aria-hidden data-chart={chart.kind}>
          {chart.kind === 'LINES' ? (
            <LineChart
              {...common}
              curveType="linear"
              lineProps={{ isAnimationActive: false }}
              lineChartProps={{ accessibilityLayer: false }}
            />
          ) : (
            <BarChart
              {...common}
              type={chart.kind === 'STACKED_BARS' ? 'stacked' : 'default'}
              barProps={{ isAnimationActive: false }}
              barChartProps={{ accessibilityLayer: false }}
              maxBarWidth={48}
            />
          )}
        </div>
      )}
      {leftOut !== '' && <small>{t('thePictureLeavesOutValuesLeftOut', { leftOut })}</small>}
    </>
  );
}
