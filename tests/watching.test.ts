import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clockFigures } from '@tributary/telemetry';
import { createMetrics, createWorkMetrics } from '@tributary/telemetry/prometheus.ts';
import { queues } from '@tributary/work';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { workFigures } from '../apps/worker/figures.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('deploy/grafana/tributary.json')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Every metric name that our processes export, with the suffixes that Prometheus adds for histograms. */
async function served(): Promise<Set<string>> {
  const pages = [await createMetrics().text(), await createWorkMetrics({}).text()].join('\n');
  const names = [...pages.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', kind]) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
  // The names do not depend on the engines.
  const figures = { ...workFigures({} as never, {} as never, {} as never), ...clockFigures(() => 0) };
  return new Set([...names, ...Object.keys(figures)]);
}

test('every alert and every panel uses existing metrics and existing queues', async () => {
  const known = await served();
  for (const [where, expr] of expressions) {
    const names = [...expr.matchAll(/\b(?:tributary|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);
    expect(names.length > 0 || expr.startsWith('up{'), where).toBe(true);
    expect(
      names.filter((name) => !known.has(name)),
      where,
    ).toEqual([]);
    const named = [...expr.matchAll(/queue=~?"([^"]+)"/g)].flatMap(([, text = '']) => text.split('|'));
    const queueNames: readonly string[] = Object.values(queues).map(({ name }) => name);
    expect(
      named.filter((name) => !queueNames.includes(name)),
      where,
    ).toEqual([]);
  }
});

test('every metric is used by an alert or a panel', async () => {
  const ours = [...(await served())].filter((name) => name.startsWith('tributary_') && !/_(bucket|sum)$/.test(name));
  expect(ours.filter((name) => !expressions.some(([, expr]) => expr.includes(name)))).toEqual([]);
});

test('every alert has a runbook, and every runbook has an alert', () => {
  const pages = readdirSync(join(root, 'docs/operations/runbooks')).filter((name) => name !== 'README.md');
  expect(rules.map(({ alert }) => `${alert}.md`).sort()).toEqual(pages.sort());
  for (const { alert, labels, annotations } of rules) {
    expect(annotations.runbook).toBe(`docs/operations/runbooks/${alert}.md`);
    expect(read(annotations.runbook)).toContain(`# ${alert}\n`);
    expect(['page', 'ticket'], alert).toContain(labels.severity);
  }
});

// .ci/run downloads promtool; elsewhere the test runs if it is installed.
const fetched = join(root, '.engines/programs/prometheus/usr/bin/promtool');
const promtool = existsSync(fetched) ? fetched : 'promtool';
test.skipIf(spawnSync(promtool, ['--version']).status !== 0)(
  'promtool accepts the rules, and each alert fires',
  { timeout: 60_000 },
  () => {
    const run = (...args: string[]) =>
      spawnSync(promtool, args, { cwd: join(root, 'deploy/prometheus'), encoding: 'utf8' });
    for (const args of [
      ['check', 'rules', 'alerts.yaml'],
      ['check', 'config', 'prometheus.yaml'],
      ['test', 'rules', 'alerts.test.yaml'],
    ]) {
      const { status, stdout, stderr } = run(...args);
      expect(status, `${stdout}${stderr}`).toBe(0);
    }
    const tested = [...read('deploy/prometheus/alerts.test.yaml').matchAll(/alertname="(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(tested).toEqual(rules.map(({ alert }) => alert));
  },
);
