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
 * Static checks, without running the product: format and lint, types, import directions, table owners, unused code, generated files and
 * more. `--write` fixes what can be fixed automatically.
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
  // The tracker has browser types and no Node types.
  'tracker types': () => bin('tsc', '--noEmit', '-p', join(root, 'packages/tracker')),
  // The console has browser types and JSX.
  'console types': () => bin('tsc', '--noEmit', '-p', join(root, 'apps/console')),
  'import directions': cruise,
  'table owners': checkTableOwners,
  'unused code': () => bin('knip'),
  'test titles': async () => failOn(claimFaults(root)),
  'file sizes': async () => failOn(longFiles(root)),
  'console texts': async () => failOn(writtenTexts(root)),
  'closed lists': async () => failOn(findFaults(root)),
  'licences and integrity': async () =>
    failOn([root, join(root, 'tests/published')].flatMap((folder) => supplyChainFaults(readLock(folder)))),
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
  // Guards against a wrong configuration that reads no files and so finds nothing.
  if (summary.totalCruised < 50) throw new Error(`Only ${summary.totalCruised} modules were read.`);
  failOn(summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} -> ${to}`));
}

/** Fails the check with its findings. */
function failOn(findings: readonly string[]): void {
  if (findings.length > 0) throw new Error(findings.join('\n'));
}

async function checkTableOwners(): Promise<void> {
  const { lines, uses } = findViolations(root);
  if (uses < 50) throw new Error(`Only ${uses} uses of tables were seen.`);
  failOn(lines);
}

async function compareGenerated(): Promise<void> {
  const stale: string[] = [];
  for (const [path, text] of Object.entries(await generatedFiles())) {
    const file = join(root, path);
    if (readOr(file) === text) continue;
    if (values.write) writeFileSync(file, text);
    else stale.push(path);
  }
  if (stale.length > 0) throw new Error(`Out of date; run "npm run check -- --write":\n${stale.join('\n')}`);
}

function readOr(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
