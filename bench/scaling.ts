import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of the output of `npm run bench -- unit-costs` that the page needs. */
export interface UnitCosts {
  readonly date: string;
  readonly cpu_us: Readonly<Record<Unit, Readonly<Record<string, number>>>>;
  readonly bytes: Readonly<Record<(typeof weighed)[number], number>>;
}

const units = {
  visit_collected: 'visit, from the browser to the log',
  visit_stored: 'visit, from the log to its columns',
  visit_merged: 'visit, merged once',
  outcome_of_one_profile: 'outcome, many of one profile at once',
  outcome_of_many_profiles: 'outcome, each of another profile',
  outcome_announced: 'outcome, numbered in the event log',
  delivery: 'webhook delivery',
  conversion_attributed: 'attributed conversion, hundreds of profiles at once',
  report_small: 'report over a month of 6,000 conversions',
  report_large: 'report over a month of 240,000 conversions',
} as const;
type Unit = keyof typeof units;

const weighed = [
  'visit_in_log',
  'visit',
  'touch',
  'outcome',
  'outcome_wal',
  'delivery',
  'delivery_wal',
  'conversion',
] as const;

/** The processes that use CPU, in the order of a visit's path. */
const parts = ['collector', 'redis', 'nats', 'worker', 'api', 'postgres', 'clickhouse'] as const;

/** The assumptions about a business; every computed figure follows from these and the measured costs. */
const assumed = {
  outcomesPerVisit: 1 / 50,
  touchesPerVisit: 1 / 10,
  attributionsPerOutcome: 2,
  deliveriesPerOutcome: 1,
  visitsPerProfile: 10_000,
  reportsPerProfile: 20,
  peak: 3,
  logDays: 7,
} as const;

const volumes = [1e6, 1e8, 1e10] as const;
const daySeconds = 86_400;

/** How often each unit occurs per visit. */
const happens: Readonly<Partial<Record<Unit, number>>> = {
  visit_collected: 1,
  visit_stored: 1,
  visit_merged: 1,
  outcome_of_many_profiles: assumed.outcomesPerVisit,
  outcome_announced: assumed.outcomesPerVisit,
  delivery: assumed.outcomesPerVisit * assumed.deliveriesPerOutcome,
  conversion_attributed: assumed.outcomesPerVisit * assumed.attributionsPerOutcome,
  report_small: assumed.reportsPerProfile / assumed.visitsPerProfile,
};

/** The CPU microseconds of a visit and everything derived from it, by process. */
const cpuPerVisit = ({ cpu_us }: UnitCosts, part: string): number =>
  Object.entries(happens).reduce((sum, [unit, times]) => sum + times * (cpu_us[unit as Unit][part] ?? 0), 0);

const bytesPerVisit = ({ bytes }: UnitCosts) => {
  const { outcomesPerVisit, touchesPerVisit, deliveriesPerOutcome } = assumed;
  return {
    outcomes: outcomesPerVisit * bytes.outcome,
    ledger: outcomesPerVisit * (bytes.outcome + deliveriesPerOutcome * bytes.delivery),
    wal: outcomesPerVisit * (bytes.outcome_wal + deliveriesPerOutcome * bytes.delivery_wal),
    log: bytes.visit_in_log,
    columns: bytes.visit + touchesPerVisit * bytes.touch + outcomesPerVisit * bytes.conversion,
  };
};

/** A resource that exists once: its capacity on a large server, and how to remove the limit. */
interface Ceiling {
  readonly what: string;
  /** The visits per day at which it is exhausted. */
  readonly visits: (costs: UnitCosts) => number;
  readonly removedBy: string;
}

/** The visits per day that keep so many cores busy at the daily peak. */
const untilBusy = (cores: number, usPerVisit: number) => (cores * 1e6 * daySeconds) / (usPerVisit * assumed.peak);

const ceilings: readonly Ceiling[] = [
  {
    what: 'Redis, which has one thread',
    visits: (costs) => untilBusy(1, cpuPerVisit(costs, 'redis')),
    removedBy: 'A Redis for the collectors and one for the API; then a cluster: no two limits share a key.',
  },
  {
    what: 'the sequencer of events, which is one connection',
    visits: ({ cpu_us: { outcome_announced } }) =>
      untilBusy(1, ((outcome_announced.postgres ?? 0) + (outcome_announced.worker ?? 0)) * assumed.outcomesPerVisit),
    removedBy: 'Each server of the ledger has one of its own.',
  },
  {
    what: 'PostgreSQL, one server that writes, with 32 cores',
    visits: (costs) => untilBusy(32, cpuPerVisit(costs, 'postgres')),
    removedBy: 'Workspaces on several servers (LEDGER_SHARDS).',
  },
  {
    what: 'PostgreSQL, 8 TB for a year of outcomes',
    visits: (costs) => 8e12 / (365 * bytesPerVisit(costs).outcomes),
    removedBy: 'Larger disks; then workspaces on several servers (LEDGER_SHARDS).',
  },
  {
    what: 'the visits log, one stream on 8 TB for seven days',
    visits: (costs) => 8e12 / (assumed.logDays * bytesPerVisit(costs).log),
    removedBy:
      'Its share of the disk: past half of it what was handled goes earlier than after seven days. Then more streams on more servers (`STREAM_COUNT`).',
  },
  {
    what: 'ClickHouse, one node with 32 cores',
    visits: (costs) => untilBusy(32, cpuPerVisit(costs, 'clickhouse')),
    removedBy: 'Shards by profile, which the tables are written for.',
  },
  {
    what: 'ClickHouse, 20 TB for a year',
    visits: (costs) => 20e12 / (365 * bytesPerVisit(costs).columns),
    removedBy: 'Shards by profile, or VISITS_RETENTION_DAYS: touches and credits stay.',
  },
];

/** The latest recorded run. */
function newestCosts(jsonl: string): UnitCosts {
  const line = jsonl
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as UnitCosts & { name: string })
    .findLast(({ name }) => name === 'unit-costs');
  if (!line) throw new Error('No run of unit-costs is recorded: npm run bench -- unit-costs --record');
  return line;
}

/** docs/scaling.md with regenerated tables; the rest of it is written by hand. */
export function scalingPage(): string {
  const docs = join(import.meta.dirname, '../docs');
  const costs = newestCosts(readFileSync(join(docs, 'benchmarks.jsonl'), 'utf8'));
  const tables = {
    costs: costTable(costs),
    bytes: bytesTable(costs),
    volumes: volumeTable(costs),
    ceilings: ceilingTable(costs),
  };
  return Object.entries(tables).reduce(
    (page, [name, lines]) => {
      const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
      const [from, to] = [page.indexOf(begin), page.indexOf(end)];
      if (from < 0 || to < from) throw new Error(`docs/scaling.md has no "${begin}" followed by "${end}".`);
      return `${page.slice(0, from)}${begin}\n\n${lines}\n\n${page.slice(to)}`;
    },
    readFileSync(join(docs, 'scaling.md'), 'utf8'),
  );
}

export function costTable({ date, cpu_us }: UnitCosts): string {
  const rows = Object.entries(units).map(([unit, words]) => {
    const cpu = cpu_us[unit as Unit];
    const all = parts.reduce((sum, part) => sum + (cpu[part] ?? 0), 0);
    return [words, ...parts.map((part) => (cpu[part] ? number(cpu[part]) : '')), `**${number(all)}**`];
  });
  return table([`µs of processor, ${date}`, ...parts, 'all'], rows);
}

function bytesTable({ bytes }: UnitCosts): string {
  return table(
    ['bytes', ...weighed.map((name) => name.replaceAll('_', ' '))],
    [['each', ...weighed.map((name) => number(bytes[name]))]],
  );
}

export function volumeTable(costs: UnitCosts): string {
  const { outcomesPerVisit, peak, visitsPerProfile, logDays } = assumed;
  const coresOf = (visits: number, us: number, timesAVisit = 1) =>
    (visits * peak * us * timesAVisit) / (daySeconds * 1e6);
  const cores = (visits: number, part: string) => coresOf(visits, cpuPerVisit(costs, part));
  const bytes = bytesPerVisit(costs);
  const perVolume = (what: string, of: (visits: number) => string) => [what, ...volumes.map(of)];
  return table(
    ['visits a day', ...volumes.map((visits) => number(visits))],
    [
      perVolume('profiles', (visits) => number(visits / visitsPerProfile)),
      perVolume('visits a second, at the peak', (visits) => number((visits * peak) / daySeconds)),
      perVolume('outcomes a second, at the peak', (visits) => number((visits * peak * outcomesPerVisit) / daySeconds)),
      ...parts.map((part) => perVolume(`cores of ${part}, at the peak`, (visits) => number(cores(visits, part)))),
      perVolume(
        '**cores of all, at the peak**',
        (visits) => `**${number(parts.reduce((sum, part) => sum + cores(visits, part), 0))}**`,
      ),
      perVolume('of these for reports', (visits) =>
        number(
          parts.reduce(
            (sum, part) => sum + coresOf(visits, costs.cpu_us.report_small[part] ?? 0, happens.report_small ?? 0),
            0,
          ),
        ),
      ),
      perVolume('PostgreSQL at rest, a day', (visits) => size(visits * bytes.ledger)),
      perVolume('PostgreSQL’s log of writes, a day', (visits) => size(visits * bytes.wal)),
      perVolume(`visits log, ${logDays} days`, (visits) => size(visits * bytes.log * logDays)),
      perVolume('ClickHouse, a day', (visits) => size(visits * bytes.columns)),
    ],
  );
}

export function ceilingTable(costs: UnitCosts): string {
  const rows = ceilings
    .map(({ what, visits, removedBy }) => ({ what, removedBy, visits: visits(costs) }))
    .sort((a, b) => a.visits - b.visits);
  return table(
    ['what there is one of', 'is reached at so many visits a day', 'what removes it'],
    rows.map(({ what, visits, removedBy }) => [what, number(visits), removedBy]),
  );
}

const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Rounded to two significant digits, because the estimate is not more precise. */
const number = (value: number): string =>
  value === 0 ? '0' : Number(value.toPrecision(2)).toLocaleString('en-US', { maximumFractionDigits: 6 });

function size(bytes: number): string {
  const names = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  const step = Math.min(names.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${number(bytes / 1_000 ** step)} ${names[step]}`;
}
