import { Button, Group, MultiSelect, NativeSelect } from '@mantine/core';
import { t } from '../texts/answers.ts';
import { type Chart, type ChartKind, chartFor, chartKinds } from './charts.ts';
import { measuresOf, namesOf, type Part } from './parts.ts';

interface Props {
  readonly part: Part;
  readonly chart: Chart;
  readonly onChange: (chart: Chart) => void;
}

/** Chooses how a part is drawn. */
export function ChartEditor({ part, chart, onChange }: Props) {
  const change = (next: Partial<Chart>) => onChange({ ...chart, ...next });
  const names = namesOf(part).map(({ place, label }) => ({ value: place, label }));
  const measures = measuresOf(part).map(({ place, label }) => ({ value: place, label }));
  const isDrawn = chart.kind !== 'TABLE';
  const hasAxis = isDrawn && chart.kind !== 'NUMBER';
  return (
    <Group role="group" aria-label={t('chartOfLabel', { label: part.label })} align="flex-end" gap="xs">
      <NativeSelect
        label={t('shownAs')}
        size="xs"
        data={measures.length > 0 ? [...chartKinds()] : chartKinds().slice(0, 1)}
        value={chart.kind}
        // The values are those of the kinds.
        onChange={({ currentTarget }) => change({ kind: currentTarget.value as ChartKind })}
      />
      {hasAxis && names.length > 0 && (
        <NativeSelect
          label={t('alongTheAxis')}
          size="xs"
          data={names}
          value={chart.labels ?? ''}
          onChange={({ currentTarget }) => change({ labels: currentTarget.value })}
        />
      )}
      {isDrawn && measures.length > 0 && (
        <MultiSelect
          label={t('values')}
          size="xs"
          data={measures}
          value={[...chart.values]}
          maxValues={10}
          onChange={(values) => values.length > 0 && change({ values })}
        />
      )}
      {hasAxis && names.length > 1 && (
        <NativeSelect
          label={t('apartBy')}
          size="xs"
          data={[{ value: '', label: t('nothing') }, ...names.filter(({ value }) => value !== chart.labels)]}
          value={chart.split ?? ''}
          onChange={({ currentTarget }) => change({ split: currentTarget.value || null })}
        />
      )}
      <Button size="xs" variant="default" onClick={() => onChange(chartFor(part))}>
        {t('byShape')}
      </Button>
    </Group>
  );
}
