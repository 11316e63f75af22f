import { expect, test } from 'vitest';
import { drawMutants, listUnits, toMutant } from './draw.ts';
import { equivalents } from './equivalent.ts';
import { listFunctions } from './functions.ts';
import { Imports } from './imports.ts';
import { listChanges } from './mutators.ts';
import { isEquivalent } from './run.ts';

/** The results of the mutators for the body of a function, by mutator. */
function mutate(body: string): Record<string, string[]> {
  const source = `async function f() { ${body} }`;
  const [found] = listFunctions('f.ts', source);
  if (!found) return {};
  const changes = listChanges(found.node, source).map(
    ({ mutator, start, end, replacement }) =>
      [mutator, (source.slice(0, start) + replacement + source.slice(end)).slice(21, -2)] as const,
  );
  return Object.fromEntries(
    [...Map.groupBy(changes, ([mutator]) => mutator)].map(([mutator, all]) => [mutator, all.map(([, text]) => text)]),
  );
}

test.each([
  ['boundary', 'return a < b;', ['return a <= b;']],
  ['equality', 'return a === b;', ['return a !== b;']],
  ['arithmetic', 'return a - b;', ['return a + b;']],
  ['arithmetic', "return a + 'b';", undefined],
  ['logic', 'return a && b;', ['return a || b;']],
  ['fallback', 'return a ?? b;', ['return a;']],
  ['condition', 'if (a) return b;', ['if (!(a)) return b;', 'if (false) return b;']],
  ['condition', 'return a ? b : c;', ['return !(a) ? b : c;']],
  ['boolean', 'return true;', ['return false;']],
  ['number', 'return [7, 2n];', ['return [8, 2n];', 'return [7, 3n];']],
  ['string', "return 'a';", ["return '';"]],
  ['string', "return { 'a': x };", undefined],
  ['array', 'return [a];', ['return [];']],
  ['await', 'await a();', ['a();']],
  ['argument', 'a(b, c);', ['a(b);']],
  ['order', 'a(b, c);', ['a(c, b);']],
  ['link', 'return a.filter(b).map(c);', ['return a.map(c);']],
  ['method', 'return a.some(b);', ['return a.every(b);']],
  ['statement', 'a();', [';']],
  ['optional', 'return a?.b + c?.(d);', ['return a.b + c?.(d);', 'return a?.b + c(d);']],
  ['property', 'return { a, b };', ['return { b };', 'return { a };']],
  [
    'sql',
    'sql`SELECT min(a) FROM t WHERE a = 1 AND b <= ${c}`;',
    [
      'sql`SELECT min(a) FROM t WHERE a = 1`;',
      'sql`SELECT min(a) FROM t WHERE a = 1 AND b < ${c}`;',
      'sql`SELECT max(a) FROM t WHERE a = 1 AND b <= ${c}`;',
    ],
  ],
  ['string', "throw new Error(a ? 'b' : 'c');", undefined],
  ['boolean', 'log.info(true);', undefined],
  ['boolean', 'a(b, { readOnly: true });', undefined],
  ['property', 'a(b, { readOnly: true });', undefined],
  ['property', 'a(b, { c, readOnly: true });', ['a(b, { readOnly: true });']],
  ['argument', 'a(b, { readOnly: true });', undefined],
  ['argument', 'a(\n  b,\n  {\n    readOnly: true,\n  },\n);', undefined],
  ['await', 'await a(b, { readOnly: true });', ['a(b, { readOnly: true });']],
])('the mutator %s turns %j into %j', (mutator, body, mutants) => {
  expect(mutate(body)[mutator]).toEqual(mutants);
});

test('a seed always draws the same mutants, at most one per file, and another seed draws others', () => {
  const units = listUnits(['packages/rules/*.ts', 'packages/clickhouse/queries/*.sql']);
  const draw = (seed: string) => [...drawMutants(seed, units)].map(({ file, diff }) => `${file}\n${diff}`);
  const first = draw('a');
  expect(first.length).toBeGreaterThan(20);
  expect(draw('a')).toEqual(first);
  expect(draw('b')).not.toEqual(first);
  expect(new Set(first.map((one) => one.split('\n')[0])).size).toBe(first.length);
});

test('declarations, samples of documentation and development tools are not drawn', () => {
  const filesOf = (...patterns: string[]) => listUnits(patterns).map(({ file }) => file);
  expect(
    filesOf(
      'packages/{contract,engines}/**/*.ts',
      'packages/providers/published/*.ts',
      'packages/postgres/generate.ts',
    ),
  ).toEqual([]);
  expect(filesOf('packages/providers/stripe/*.ts', 'packages/postgres/*.ts')).toEqual(
    expect.arrayContaining(['packages/providers/stripe/sync.ts', 'packages/postgres/ledger.ts']),
  );
});

test('runs the tests of the file first, then those of its module, then those of importing modules', () => {
  const imports = new Imports();
  expect(imports.planFor('packages/rules/money.ts')[0]?.[0]).toBe('packages/rules/money.test.ts');
  const [nearest = [], ...others] = imports.planFor('domain/advertising/exports/store.ts');
  for (const one of nearest) expect(one).toMatch(/^domain\/advertising\/exports\//);
  expect([nearest, ...others].flat()).toContain('domain/advertising/exports/exports.test.ts');
  expect(imports.planFor('packages/providers/stripe/sync.ts')[0]).toContain('apps/sandbox/stripe/stripe.test.ts');
  for (const plan of ['domain/tenancy/tenants/module.ts', 'packages/postgres/index.ts'].map((file) =>
    imports.planFor(file),
  ))
    expect(plan.flat().length).toBeLessThanOrEqual(19);
});

test('every listed equivalent mutation can still be drawn', () => {
  for (const known of equivalents) {
    const units = listUnits([known.file]).filter(({ name }) => name === known.function);
    const mutants = units.flatMap((unit) => unit.changes().map((change) => toMutant(unit, change)));
    expect(
      mutants.some((mutant) => isEquivalent(known, mutant)),
      `${known.file} ${known.from}`,
    ).toBe(true);
  }
  expect(new Set(equivalents.map((known) => JSON.stringify(known))).size).toBe(equivalents.length);
});
