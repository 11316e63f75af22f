import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Published runs of drills and benches: one JSON line each in docs, from which the tables in docs are generated. */
const docs = join(import.meta.dirname, '../docs');

/** The result line of a drill or bench, with its date. */
export interface Run {
  readonly date: string;
  readonly name: string;
  readonly [figure: string]: unknown;
}

export type RunKind = 'drills' | 'benchmarks';

export function recordRun(kind: RunKind, result: { readonly name: string }): void {
  const date = new Date().toISOString().slice(0, 10);
  appendFileSync(join(docs, `${kind}.jsonl`), `${JSON.stringify({ date, ...result })}\n`);
}

/** The page with its generated tables replaced: the runs, and for drills their promises. The other text is written by hand. */
export function pageWithRuns(kind: RunKind): string {
  const page = readFileSync(join(docs, `${kind}.md`), 'utf8');
  const runs = readFileSync(join(docs, `${kind}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Run);
  return kind === 'drills'
    ? withTable(withTable(page, drillTable(runs)), promiseTable(), 'promises')
    : withTable(page, benchTable(runs));
}

export function withTable(page: string, table: string, name: 'runs' | 'promises' | 'groups' = 'runs'): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no "${begin}" followed by "${end}".`);
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
}

/** A table of each drill's promise, read from the source, because importing all drills takes seconds. */
function promiseTable(): string {
  const folder = join(import.meta.dirname, 'chaos');
  const files = readdirSync(folder).filter((file) => file.endsWith('.drill.ts'));
  return table(
    ['drill', 'what would be untrue if it failed'],
    files.sort().map((file) => {
      const promise = /\bpromise:\s*'([^']+)'/.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
      if (!promise) throw new Error(`tests/chaos/${file} has no promise in one string.`);
      return [`\`${file.replace('.drill.ts', '')}\``, promise];
    }),
  );
}

export function drillTable(runs: readonly Run[]): string {
  return table(
    ['date', 'drill', 'size', 'result', 'seconds', 'figures'],
    runs.map((run) => {
      const { date, name, size, passed, seconds, seed: _seed, ...figures } = run;
      return [date, `\`${name}\``, size, passed ? 'passed' : 'failed', seconds, formatFigures(figures)];
    }),
  );
}

export function benchTable(runs: readonly Run[]): string {
  return table(
    ['date', 'bench', 'ratio', 'better', 'figures'],
    runs.map((run) => {
      const { date, name, ratio, better, ...figures } = run;
      return [date, `\`${name}\``, ratio, better, formatFigures(figures)];
    }),
  );
}

function table(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => String(cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** The maximum length of a cell of figures; the JSON lines have all figures. */
const maxLength = 240;

/** Numbers with their names, nested ones with their path. Strings and lists are only in the JSON lines. */
function formatFigures(figures: Readonly<Record<string, unknown>>): string {
  const words = numbersOf(figures, []).map(
    ([path, value]) => `${path.join(' ').replaceAll('_', ' ')} ${formatNumber(value)}`,
  );
  let text = '';
  for (const word of words) {
    if (text.length + word.length > maxLength) return `${text}, …`;
    text += text === '' ? word : `, ${word}`;
  }
  return text;
}

function numbersOf(value: object, path: readonly string[]): [string[], number][] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]): [string[], number][] => {
    if (typeof part === 'number') return [[[...path, name], part]];
    return part !== null && typeof part === 'object' && !Array.isArray(part) ? numbersOf(part, [...path, name]) : [];
  });
}

const formatNumber = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 3 });
