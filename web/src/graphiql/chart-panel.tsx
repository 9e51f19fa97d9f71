// The styles of the library's variables alone: those of its other components would change GraphiQL.
import { t } from '../texts/graphiql.ts';
import '@mantine/core/styles/default-css-variables.css';
import { MantineProvider } from '@mantine/core';
import { createRoot, type Root } from 'react-dom/client';
import { chartFor, figuresOf } from '../answers/charts.ts';
import { Picture } from '../answers/Picture.tsx';
import { type Part, partsOf } from '../answers/parts.ts';
import { plainText } from '../answers/plain-text.ts';
import { theme } from '../theme.ts';

const roots = new WeakMap<HTMLElement, Root>();

/** Draws a result in an element, by its shape. */
export function drawResult(panel: HTMLElement, data: Readonly<Record<string, unknown>>): void {
  const root = roots.get(panel) ?? createRoot(panel);
  roots.set(panel, root);
  const close = () => {
    root.unmount();
    panel.remove();
  };
  root.render(
    <MantineProvider theme={theme} forceColorScheme="light">
      <button type="button" onClick={close}>
        {t('closeChart')}
      </button>
      <Charts parts={partsOf(data)} />
    </MantineProvider>,
  );
}

function Charts({ parts }: { readonly parts: readonly Part[] }) {
  const drawn = parts.map((part) => ({ part, chart: chartFor(part) })).filter(({ chart }) => chart.kind !== 'TABLE');
  if (drawn.length === 0) return <p>{t('nothingInThisResultHasA')}</p>;
  return drawn.map(({ part, chart }) => (
    <section key={part.place} aria-label={part.label}>
      <h2>{part.label}</h2>
      <Picture part={part} chart={chart} textOf={plainText} />
      {chart.kind === 'NUMBER' && (
        <dl>
          {figuresOf(part, chart, plainText).map(({ label, column, row }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{plainText(column, row[column.place])}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  ));
}
