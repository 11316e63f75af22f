import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { servedOperations } from './operations.ts';
import { claimFaults } from './page.ts';
import { counts, line, shownRules, tally, type VitestReport } from './report.ts';
import { allRules } from './rules.ts';
import { textsOfTests } from './tests-in-source.ts';
import { claimedRules } from './titles.ts';

const { values, positionals: areas } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const root = join(import.meta.dirname, '../..');
const rules = allRules();
const known = [...new Set(rules.map((rule) => rule.area))];
const unknown = areas.find((area) => !known.includes(area));

if (values.help || unknown) {
  if (unknown) console.error(`There is no area "${unknown}".`);
  console.log(`npm run conformance [-- AREA ...] [--from REPORT] [--json]

Runs the tests that carry rule ids of the areas (all when none is named) and prints what is proven. Of a named area it prints each
rule with what it asks. --from reads vitest's JSON report of a whole run instead of running anything.

Areas: ${known.join(', ')}`);
  process.exit(values.help ? 0 : 2);
}

const wanted = areas.length > 0 ? areas : known;
const asked = new Set(rules.filter(({ area }) => wanted.includes(area)).map(({ id }) => id));
const claims = new Map([...claimedRules(textsOfTests(root))].filter(([id]) => asked.has(id)));
const shown = shownRules(values.from ? readReport(values.from) : await runTests(claims));
// A claim that the run did not show: its test failed, was skipped, or did not run at all.
const unshown = [...claims].filter(([id]) => !shown.has(id));
const faults = [
  ...claimFaults(root),
  ...unshown.map(([id, files]) => `${id} is claimed by a test that did not pass, in ${files.join(', ')}`),
];

const results = tally(rules, shown, wanted);
for (const result of results) {
  const { proven, ...open } = counts(result);
  const rest = Object.entries(open).map(([standing, count]) => `${count} ${standing}`);
  console.log(`${result.area}: ${proven} of ${result.rules.length} proven, ${rest.join(', ')}`);
  if (areas.length > 0) for (const rule of result.rules) console.log(`  ${rule.standing.padEnd(12)} ${line(rule)}`);
}
if (faults.length > 0) console.error(faults.join('\n'));
if (values.json) {
  const summary = results.map((result) => {
    const { 'not testable': not_testable, ...others } = counts(result);
    return [result.area, { total: result.rules.length, ...others, not_testable }];
  });
  const { served, unserved } = servedOperations();
  const operations = { served: served.size, total: served.size + unserved.size };
  console.log(JSON.stringify({ areas: Object.fromEntries(summary), operations }));
}
process.exit(faults.length > 0 ? 1 : 0);

function readReport(file: string): VitestReport {
  return JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
}

/** The report of an earlier run must not pass for this one's, so it goes first. */
async function runTests(wanted: ReadonlyMap<string, readonly string[]>): Promise<VitestReport> {
  const file = join(root, '.engines/conformance.json');
  rmSync(file, { force: true });
  // A file opens its databases before it is known whether any of its tests is wanted, so only those with one are named.
  const files = new Set([...wanted.values()].flat().map((file) => file.replace(/\.cases\.ts$/, '.test.ts')));
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...files,
    '-t',
    `\\[(${[...wanted.keys()].join('|')})\\]`,
    '--passWithNoTests',
    '--reporter=json',
    `--outputFile=${file}`,
  ];
  await new Promise<void>((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('close', () => resolve());
  });
  return readReport(file);
}
