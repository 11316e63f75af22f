import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readReport } from '../../.ci/test-report.ts';
import { titledCalls } from '../conformance/tests-in-source.ts';
import { readLock, supplyChainFaults } from '../supply-chain.ts';
import { type Outcome, readAdvisories, readSignatures } from './registry.ts';
import { failedIn, missingOf, regressions } from './regressions.ts';
import { trackedSecrets } from './secrets.ts';

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    online: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(`npm run security [-- --from REPORT] [--online]

Scans tracked files for secrets, checks licences, and checks that every attack regression has a test. With --from REPORT (vitest's JSON
report of a full run), those tests must have passed. Advisories and registry signatures need a network. Without one they are reported as
not run, which fails only with --online.`);
  process.exit(0);
}
const root = join(import.meta.dirname, '../..');
const locked = ['.', 'tests/published'].map((folder) => join(root, folder));
let failed = 0;

function report(name: string, ok: string, faults: readonly string[], isFatal = true): void {
  console.log(`${name}: ${faults.length === 0 ? ok : `${faults.length} found`}`);
  for (const fault of faults) console.log(`  ${fault}`);
  if (isFatal) failed += faults.length;
}

/** Prints a registry check. With --online, a check that did not run counts as failed. */
function reportOutcome(name: string, outcome: Outcome): void {
  if (outcome.ran) {
    report(name, 'ran, none found', outcome.faults, values.online);
    return;
  }
  console.log(`${name}: DID NOT RUN: ${outcome.reason}`);
  if (values.online) failed += 1;
}

const registryChecks = Promise.all(locked.map(readAdvisories).concat(readSignatures(root)));
const { found, files } = await trackedSecrets(root);
report('secrets', `none in ${files} files`, found);
const packages = locked.map(readLock);
report(
  'licences and integrity',
  `${packages.reduce((sum, lock) => sum + Object.keys(lock).length, 0)} packages`,
  packages.flatMap(supplyChainFaults),
);
const missing = missingOf(root, titledCalls(root));
const failing = values.from ? failedIn(readReport(root, values.from)) : [];
report('attack regressions', `${regressions.length} have tests`, [...missing, ...failing]);
const names = ['advisories', 'advisories of tests/published', 'signatures and provenance'];
for (const [at, outcome] of (await registryChecks).entries()) reportOutcome(names[at] ?? '', outcome);
process.exit(failed === 0 ? 0 : 1);
