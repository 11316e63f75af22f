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
const allAreas = [...new Set(rules.map((rule) => rule.area))];
const unknown = areas.find((area) => !allAreas.includes(area));

if (values.help || unknown) {
  if (unknown) console.error(`There is no area "${unknown}".`);
  console.log(`npm run conformance [-- AREA ...] [--from REPORT] [--json]

Runs the tests whose titles have rule ids of the areas (default: all) and prints the proven rules. For a named area it lists each
rule with its sentence. --from reads vitest's JSON report of a full run instead of running the tests.

Areas: ${allAreas.join(', ')}`);
  process.exit(values.help ? 0 : 2);
}

const selectedAreas = areas.length > 0 ? areas : allAreas;
const selectedIds = new Set(rules.filter(({ area }) => selectedAreas.includes(area)).map(({ id }) => id));
const claims = new Map([...claimedRules(textsOfTests(root))].filter(([id]) => selectedIds.has(id)));
const shown = shownRules(values.from ? readReport(values.from) : await runTests(claims));
// Claimed rules that the run did not prove: a test failed, was skipped or did not run.
const unshown = [...claims].filter(([id]) => !shown.has(id));
const faults = [
  ...claimFaults(root),
  ...unshown.map(([id, files]) => `${id} is claimed by a test that did not pass, in ${files.join(', ')}`),
];

const results = tally(rules, shown, selectedAreas);
for (const result of results) {
  const { proven, ...open } = counts(result);
  const rest = Object.entries(open).map(([status, count]) => `${count} ${status}`);
  console.log(`${result.area}: ${proven} of ${result.rules.length} proven, ${rest.join(', ')}`);
  if (areas.length > 0) for (const rule of result.rules) console.log(`  ${rule.status.padEnd(12)} ${line(rule)}`);
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

/** Deletes the report of an earlier run first, so that it cannot be taken for this one's. */
async function runTests(claims: ReadonlyMap<string, readonly string[]>): Promise<VitestReport> {
  const file = join(root, '.engines/conformance.json');
  rmSync(file, { force: true });
  // Only files with a claimed rule are passed, because a test file opens its databases even if none of its tests match.
  const files = new Set([...claims.values()].flat().map((file) => file.replace(/\.cases\.ts$/, '.test.ts')));
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...files,
    '-t',
    `\\[(${[...claims.keys()].join('|')})\\]`,
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
