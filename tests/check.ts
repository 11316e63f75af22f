import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { findFaults } from './closed-lists.ts';
import { claimFaults } from './conformance/page.ts';
import { longFiles } from './file-sizes.ts';
import { generatedFiles } from './generated-files.ts';
import { writtenTexts } from './interface-texts.ts';
import { readLock, supplyChainFaults } from './supply-chain.ts';
import { findViolations } from './table-owners/table-owners.ts';

/**
 * Everything that is checked without running the product: format and lint, types, import directions, whose tables are used, unused code, and that
 * each generated file is what its source would generate. `--write` mends what can be mended.
 */
const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
});
const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
const bin = (name: string, ...args: string[]) =>
  run(join(root, 'node_modules/.bin', name), args, { cwd: root, maxBuffer: 1 << 26 });

const checks: Record<string, () => Promise<unknown>> = {
  'generated files': compareGenerated,
  'format and lint': () => bin('biome', 'check', '--error-on-warnings', ...(values.write ? ['--write'] : [])),
  types: () => bin('tsc', '--noEmit', '-p', root),
  // The tracker knows a browser and no Node.
  'types of the tracker': () => bin('tsc', '--noEmit', '-p', join(root, 'packages/tracker')),
  // The console knows a browser, too, and JSX.
  'types of the console': () => bin('tsc', '--noEmit', '-p', join(root, 'apps/console')),
  'import directions': cruise,
  'owners of tables': checkTableOwners,
  'unused code': () => bin('knip'),
  'titles of tests': async () => refuse(claimFaults(root)),
  'sizes of files': async () => refuse(longFiles(root)),
  'texts of the console': async () => refuse(writtenTexts(root)),
  'closed lists': async () => refuse(findFaults(root)),
  'licences and integrity': async () =>
    refuse([root, join(root, 'tests/published')].flatMap((place) => supplyChainFaults(readLock(place)))),
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  const startedAt = Date.now();
  try {
    await check();
    console.log(`ok      ${name} (${Date.now() - startedAt} ms)`);
  } catch (error) {
    failed += 1;
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    console.log(`FAILED  ${name}\n${stdout || stderr || message}`);
  }
}
if (values.json) console.log(JSON.stringify({ passed: Object.keys(checks).length - failed, failed }));
process.exit(failed === 0 ? 0 : 1);

async function cruise(): Promise<void> {
  const { stdout } = await bin(
    'depcruise',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'apps',
    'domain',
    'packages',
    'tests',
    'bench',
  );
  const { summary } = JSON.parse(stdout) as {
    summary: { totalCruised: number; violations: { from: string; to: string; rule: { name: string } }[] };
  };
  // A cruise that read nothing finds nothing wrong.
  if (summary.totalCruised < 50) throw new Error(`Only ${summary.totalCruised} modules were read.`);
  refuse(summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} -> ${to}`));
}

/** A check with findings fails, and says them. */
function refuse(findings: readonly string[]): void {
  if (findings.length > 0) throw new Error(findings.join('\n'));
}

async function checkTableOwners(): Promise<void> {
  const { lines, uses } = findViolations(root);
  if (uses < 50) throw new Error(`Only ${uses} uses of tables were seen.`);
  refuse(lines);
}

async function compareGenerated(): Promise<void> {
  const stale: string[] = [];
  for (const [path, text] of Object.entries(await generatedFiles())) {
    const file = join(root, path);
    if (readOr(file) === text) continue;
    if (values.write) writeFileSync(file, text);
    else stale.push(path);
  }
  if (stale.length > 0)
    throw new Error(`Not what its source makes of it; run "npm run check -- --write":\n${stale.join('\n')}`);
}

function readOr(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
