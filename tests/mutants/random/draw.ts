import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../copy.ts';
import type { Change } from './change.ts';
import { listFunctions } from './functions.ts';
import { listChanges } from './mutators.ts';
import { mutateSql } from './sql-mutators.ts';

/** A random change of product code. */
export interface Mutant extends Change {
  readonly file: string;
  /** The name of the outermost function around the change, or of the query file. */
  readonly function: string;
  readonly line: number;
  readonly mutated: string;
  /** The changed lines, before and after. */
  readonly diff: string;
}

/** A function or a query file that can be drawn. */
interface Unit {
  readonly file: string;
  readonly name: string;
  readonly changes: () => Change[];
}

/**
 * Code that runs in production. Left out: declarations (contract, vocabulary, config), simulators (sandbox, market), samples from the
 * documentation of providers (published), development tools (engines, dump, generate), and the console, whose tests use its built files.
 */
const product = [
  'apps/{api,cli,collector,platform,worker}/**/*.ts',
  'domain/**/*.ts',
  'packages/**/*.ts',
  'packages/clickhouse/queries/*.sql',
];
const excluded =
  /(^|\/)(node_modules|testing)\/|\.(test|fixture|cases|generated|script)\.ts$|\.d\.ts$|^packages\/(contract|vocabulary|config|market|engines|tracker|providers\/published)\/|^apps\/cli\/(demo|commands)|\/(build|dump|generate|main)\.ts$/;
const queries = 'packages/clickhouse/queries/';

export function listUnits(patterns: readonly string[] = product): Unit[] {
  const files = globSync([...patterns], { cwd: root, exclude: (path) => path.includes('node_modules') });
  const functions = files
    .filter((file) => file.endsWith('.ts') && !excluded.test(file))
    .sort()
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      return listFunctions(file, source).map(({ name, node }) => ({
        file,
        name,
        changes: () => listChanges(node, source),
      }));
    });
  const statements = globSync([...patterns], { cwd: root })
    .filter((file) => file.startsWith(queries))
    .sort()
    .map((file) => ({
      file,
      name: file.replace(/^.*\/|\.sql$/g, ''),
      changes: () => mutateSql(readFileSync(join(root, file), 'utf8'), 0).map((one) => ({ mutator: 'sql', ...one })),
    }));
  return [...functions, ...statements];
}

/** Draws mutants, at most one per file: first a function, then a mutator that applies to it, then a place. The same seed draws the same mutants. */
export function* drawMutants(seed: string, units = listUnits()): Generator<Mutant> {
  let draws = 0;
  const pick = <One>(all: readonly One[]): One => all[randomInt(`${seed} ${draws++}`) % all.length] as One;
  const drawn = new Set<string>();
  for (const tried = new Set<Unit>(); tried.size < units.length; ) {
    const unit = pick(units);
    if (tried.has(unit)) continue;
    tried.add(unit);
    const changes = drawn.has(unit.file) ? [] : unit.changes();
    if (changes.length === 0) continue;
    drawn.add(unit.file);
    const mutator = pick([...new Set(changes.map((change) => change.mutator))]);
    yield toMutant(unit, pick(changes.filter((one) => one.mutator === mutator)));
  }
}

export function toMutant({ file, name }: Pick<Unit, 'file' | 'name'>, change: Change): Mutant {
  const source = readFileSync(join(root, file), 'utf8');
  const mutated = source.slice(0, change.start) + change.replacement + source.slice(change.end);
  const line = source.slice(0, change.start).split('\n').length;
  return { ...change, file, function: name, line, mutated, diff: diffOf(source, mutated) };
}

function randomInt(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6);
}

function diffOf(before: string, after: string): string {
  const [old, changed] = [before.split('\n'), after.split('\n')];
  let first = 0;
  while (first < old.length && old[first] === changed[first]) first += 1;
  let last = 1;
  while (last <= Math.min(old.length, changed.length) - first && old.at(-last) === changed.at(-last)) last += 1;
  const part = (lines: string[], sign: string) =>
    lines.slice(first, lines.length - last + 1).map((line) => `${sign} ${line}`);
  return [...part(old, '-'), ...part(changed, '+')].join('\n');
}
