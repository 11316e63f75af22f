import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { servedOperations } from './operations.ts';
import { conformancePage, readRules, tally } from './report.ts';

const { values, positionals: areas } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
const root = join(import.meta.dirname, '../..');
const rules = readRules(readFileSync(join(import.meta.dirname, 'rules.tsv'), 'utf8'));
const known = [...new Set(rules.map((rule) => rule.area))];
const unknown = areas.find((area) => !known.includes(area));

if (values.help || unknown) {
  if (unknown) console.error(`There is no area "${unknown}".`);
  console.log(`npm run conformance [-- AREA ...] [--json]

Runs the tests that carry rule ids of the areas (all when none is named), prints what is proven, and, when all ran, writes docs/conformance.md.

Areas: ${known.join(', ')}`);
  process.exit(values.help ? 0 : 2);
}

const wanted = areas.length > 0 ? areas : known;
const report = join(root, '.engines/conformance.json');
const code = await runTests(`\\[(${wanted.join('|')})-\\d{3}\\]`);
const results = tally(rules, JSON.parse(readFileSync(report, 'utf8')), wanted);
const operations = servedOperations();

if (areas.length === 0) writeFileSync(join(root, 'docs/conformance.md'), conformancePage(results, operations));
for (const { area, total, proven, waiting, reserved, notTestable } of results) {
  console.log(
    `${area}: ${proven.length} of ${total} proven, ${waiting.length} waiting, ${reserved.length} reserved, ${notTestable.length} not testable`,
  );
  if (areas.length > 0) for (const { id, note } of waiting) console.log(`  ${id} waits for ${note}`);
}
if (values.json) {
  const summary = results.map(({ area, total, proven, waiting, reserved, notTestable }) => [
    area,
    {
      total,
      proven: proven.length,
      waiting: waiting.length,
      reserved: reserved.length,
      not_testable: notTestable.length,
    },
  ]);
  console.log(JSON.stringify({ areas: Object.fromEntries(summary), operations }));
}
process.exit(code);

function runTests(pattern: string): Promise<number> {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '-t',
    pattern,
    '--passWithNoTests',
    '--reporter=json',
    `--outputFile=${report}`,
  ];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('close', (exit) => resolve(exit ?? 1));
  });
}
