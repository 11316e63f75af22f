import { spawn } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { servedOperations } from './operations.ts';
import { conformancePage, counts, line, tally, type VitestReport } from './report.ts';
import { allRules } from './rules.ts';
import { titleFaults } from './titles.ts';

const { values, positionals: areas } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
const root = join(import.meta.dirname, '../..');
const rules = allRules();
const known = [...new Set(rules.map((rule) => rule.area))];
const unknown = areas.find((area) => !known.includes(area));

if (values.help || unknown) {
  if (unknown) console.error(`There is no area "${unknown}".`);
  console.log(`npm run conformance [-- AREA ...] [--json]

Runs the tests that carry rule ids of the areas (all when none is named) and prints what is proven. Of a named area it prints each
rule with what it asks; when all ran, it writes docs/conformance.md.

Areas: ${known.join(', ')}`);
  process.exit(values.help ? 0 : 2);
}

const wanted = areas.length > 0 ? areas : known;
const { code, report } = await runTests(`\\[(${wanted.join('|')})-\\d{3}\\]`);
const { served, unserved } = servedOperations();
const titles = report.testResults.flatMap((file) => file.assertionResults.map(({ fullName }) => fullName));
const faults = titleFaults(titles, rules, unserved);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}

const results = tally(rules, report, wanted);
const operations = { served: served.size, total: served.size + unserved.size };
if (areas.length === 0) writeFileSync(join(root, 'docs/conformance.md'), conformancePage(results, operations));
for (const result of results) {
  const { proven, ...open } = counts(result);
  const rest = Object.entries(open).map(([standing, count]) => `${count} ${standing}`);
  console.log(`${result.area}: ${proven} of ${result.rules.length} proven, ${rest.join(', ')}`);
  if (areas.length > 0) for (const rule of result.rules) console.log(`  ${rule.standing.padEnd(12)} ${line(rule)}`);
}
if (values.json) {
  const summary = results.map((result) => {
    const { 'not testable': not_testable, ...others } = counts(result);
    return [result.area, { total: result.rules.length, ...others, not_testable }];
  });
  console.log(JSON.stringify({ areas: Object.fromEntries(summary), operations }));
}
process.exit(code);

/** The report of an earlier run must not pass for this one's, so it goes first. */
async function runTests(pattern: string): Promise<{ code: number; report: VitestReport }> {
  const file = join(root, '.engines/conformance.json');
  rmSync(file, { force: true });
  // A file opens its databases before it is known whether any of its tests is wanted.
  const files = globSync('{apps,bench,domain,packages,tests}/**/*.test.{ts,tsx}', {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  }).filter((path) => new RegExp(pattern).test(readFileSync(join(root, path), 'utf8')));
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...files,
    '-t',
    pattern,
    '--passWithNoTests',
    '--reporter=json',
    `--outputFile=${file}`,
  ];
  const exit = await new Promise<number>((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('close', (code) => resolve(code ?? 1));
  });
  return { code: exit, report: JSON.parse(readFileSync(file, 'utf8')) as VitestReport };
}
