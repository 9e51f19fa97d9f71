// Grafana's dashboard and Prometheus's alerts: their expressions are valid, and of figures that the service has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { testDatabase } from '../support/database.ts';
import { type Service, startService } from '../support/service.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}
const { panels } = JSON.parse(read('deploy', 'grafana', 'premises.json')) as { readonly panels: readonly Panel[] };
const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}
const { groups } = parse(read('deploy', 'prometheus', 'alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);
const alerted = alerts.map(({ alert, expr }) => [alert, expr] as const);

/** What an expression reads. */
interface Selected {
  readonly metric: string;
  /** The labels that it compares, with their values. */
  readonly matchers: readonly (readonly [label: string, value: string])[];
}

/** Reads an expression. @throws Error if it is not valid */
function readExpression(written: string): {
  readonly selected: readonly Selected[];
  readonly grouped: readonly string[];
} {
  // Grafana replaces its variable by a duration.
  const text = written.replaceAll('$__rate_interval', '5m');
  const selected: { metric: string; matchers: [string, string][] }[] = [];
  const grouped: string[] = [];
  parser.parse(text).iterate({
    enter({ type, node, name }) {
      if (type.isError) throw new Error(`No valid expression: ${text}`);
      const of = (child: string) => node.getChild(child);
      const textOf = (child: string) => text.slice(of(child)?.from, of(child)?.to);
      if (name === 'VectorSelector') selected.push({ metric: textOf('Identifier'), matchers: [] });
      if (name === 'UnquotedLabelMatcher')
        selected.at(-1)?.matchers.push([textOf('LabelName'), JSON.parse(textOf('StringLiteral')) as string]);
      if (name === 'GroupingLabels')
        grouped.push(...node.getChildren('LabelName').map(({ from, to }) => text.slice(from, to)));
    },
  });
  return { selected, grouped };
}

/** The labels that Prometheus adds to all figures. */
const added = ['instance', 'job'];

/** The figures of the running service: the values of each label, by the name of the figure. */
let figures: Map<string, Map<string, Set<string>>>;
let service: Service;
beforeAll(async () => {
  const url = process.env.TEST_DATABASE_URL;
  // A server is no replica of itself, but it is asked whether it is one, and has the figures of one that is not used.
  const replicas = url === undefined ? undefined : { urls: [url] };
  service = await startService({ METRICS_TOKEN: 'scraper' }, (options) => testDatabase({ ...options, replicas }));
  const tenant = await service.tenant();
  await (await tenant.client()).get('/paints');
  await service.database.prisma.job.create({ data: { companyId: tenant.company.id, kind: 'test', payload: {} } });
  const scrape = async () => {
    const reply = await fetch(`${service.origin}/metrics`, { headers: { authorization: 'Bearer scraper' } });
    return reply.text();
  };
  figures = new Map();
  for (const line of (await scrape()).split('\n')) {
    const [, name, labels = ''] = /^([a-z]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const values = figures.get(name) ?? new Map<string, Set<string>>();
    figures.set(name, values);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
      values.set(label, (values.get(label) ?? new Set()).add(value));
  }
});
afterAll(() => service.close());

/** An embedded database has no replicas. */
const exists = (metric: string) =>
  figures.has(metric) || (service.database.kind === 'embedded' && metric.startsWith('premises_database_replica_'));

/** Labels whose values are known before anything happens. */
const closed = ['queue', 'reader', 'pool'];

describe.each([
  ['the dashboard', shown],
  ['the alerts', alerted],
])('%s', (_where, expressions) => {
  test.each(expressions)('%s: %s', (_title, expression) => {
    const { selected, grouped } = readExpression(expression);
    expect(selected.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selected) {
      if (metric === 'up') continue;
      expect({ metric, exists: exists(metric) }).toEqual({ metric, exists: true });
      const labels = figures.get(metric);
      if (!labels) continue;
      for (const label of [...grouped, ...matchers.map(([label]) => label)])
        if (!added.includes(label)) expect([metric, ...labels.keys()]).toContain(label);
      for (const [label, value] of matchers)
        if (closed.includes(label)) expect([...(labels.get(label) ?? [])]).toContain(value);
    }
  });
});

test('an expression that is not valid, or of a figure that does not exist, is found', () => {
  expect(() => readExpression('sum by (queue) (rate(premises_failures_total[5m])')).toThrow('No valid expression');
  const { selected, grouped } = readExpression('sum by (queue) (premises_nothing{pool="all"})');
  expect(selected).toEqual([{ metric: 'premises_nothing', matchers: [['pool', 'all']] }]);
  expect(grouped).toEqual(['queue']);
  expect(exists('premises_nothing')).toBe(false);
});

const named = (expressions: readonly (readonly [string, string])[]) =>
  new Set(expressions.flatMap(([, expression]) => readExpression(expression).selected.map(({ metric }) => metric)));

test('the dashboard shows every figure of the service itself', () => {
  const own = [...figures.keys()].filter((name) => /^premises_.*(?<!_bucket|_sum|_count)$/.test(name));
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter((name) => !named(shown).has(name))).toEqual([]);
});

test('there is an alert for everything that waits', () => {
  const waits = [...figures.keys()].filter((name) => /^premises_.*(waiting|pending|unread|held_back|lag)/.test(name));
  expect(waits.length).toBeGreaterThan(8);
  // Of jobs and changes their age tells more than their number.
  const counts = ['premises_jobs_pending', 'premises_changes_unread'];
  expect(waits.filter((name) => !named(alerted).has(name) && !counts.includes(name))).toEqual([]);
});

test('each alert says what it is about, and has a name of its own', () => {
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  for (const { alert, expr, annotations, labels, for: duration } of alerts) {
    expect(alert).toMatch(/^Premises[A-Z]\w+$/);
    expect(duration).toMatch(/^\d+[mh]$/);
    expect(labels.severity).toMatch(/^(critical|warning|info)$/);
    const { grouped } = readExpression(expr);
    const used = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    // An expression that groups has no other labels.
    if (/\bby\b/.test(expr)) expect(grouped).toEqual(expect.arrayContaining(used));
    expect(annotations.summary).toMatch(/^.{10,}\.$/);
  }
});

test('panels do not cover each other, and have IDs of their own', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { targets = [], title } of panels)
    for (const { expr, legendFormat } of targets)
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        const { grouped } = readExpression(expr);
        expect([title, ...grouped, ...(/\bby\b/.test(expr) ? [] : added)]).toContain(label);
      }
});
