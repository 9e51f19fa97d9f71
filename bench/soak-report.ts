/** What `soak.ts` reports of what it has measured. */

/** What was measured at a time. */
export interface Sample {
  readonly minute: number;
  /** The figures, by the name of their series. While an instance restarts, it has none. */
  readonly values: Record<string, number>;
}

/** A table of all series over time, each figure the mean of some samples. */
export function table(samples: readonly Sample[]): string {
  const names = Object.keys(samples.at(-1)?.values ?? {});
  const cell = (name: string, place: number) => {
    const last = Math.ceil(place * samples.length);
    const window = samples.slice(Math.max(0, last - Math.ceil(samples.length / 20)), last);
    const known = window.flatMap(({ values }) => values[name] ?? []).filter(Number.isFinite);
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    return Number.isFinite(mean) ? mean.toFixed(mean < 10 ? 1 : 0) : '–';
  };
  const rows = names.map(
    (name) => `| ${name} | ${[0.1, 0.25, 0.5, 0.75, 1].map((place) => cell(name, place)).join(' | ')} |`,
  );
  return `| | after a tenth | a quarter | half | three quarters | at the end |
| --- | --: | --: | --: | --: | --: |
${rows.join('\n')}`;
}

/** The series that are drawn together, by the title of their chart. */
const drawn: Readonly<Record<string, readonly string[]>> = {
  'heap of each instance (MB)': ['heap 1 (MB)', 'heap 2 (MB)'],
  'memory of each instance (MB)': ['memory 1 (MB)', 'memory 2 (MB)'],
  'descriptors of each instance, and connections': ['descriptors 1', 'descriptors 2', 'connections'],
  'prepared statements of each instance': ['prepared statements 1', 'prepared statements 2'],
  'service requests and messages, with indexes (MB)': ['of service requests (MB)', 'of deliveries (MB)'],
  'the log, with indexes (MB)': ['of the log (MB)'],
  'dead rows': ['dead rows'],
};

/** Charts that Markdown shows, of at most 40 points each. */
export function charts(samples: readonly Sample[], minutes: number): string {
  const step = Math.max(1, Math.ceil(samples.length / 40));
  const chosen = samples.filter((_, n) => n % step === 0);
  const line = (name: string) => {
    let last = 0;
    return chosen.map(({ values }) => {
      const value = values[name];
      if (value !== undefined && Number.isFinite(value)) last = value;
      return last.toFixed(1);
    });
  };
  return Object.entries(drawn)
    .map(([title, names]) => {
      const lines = names.map((name) => `  line [${line(name).join(', ')}]`);
      return `\`\`\`mermaid
xychart-beta
  title "${title}"
  x-axis "minutes" 0 --> ${minutes}
${lines.join('\n')}
\`\`\`
`;
    })
    .join('\n');
}
