import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readReport } from '../../.ci/test-report.ts';
import { titledCalls } from '../conformance/tests-in-source.ts';
import { readLock, supplyChainFaults } from '../supply-chain.ts';
import { type Outcome, readAdvisories, readSignatures } from './registry.ts';
import { missingOf, regressions, unshownBy } from './regressions.ts';
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

Searches tracked files for secrets, checks licences, and that every request which once did harm is a test. With --from, vitest's JSON
report of a whole run, those tests must have passed. Advisories and signatures of packages need a network: without one they did not
run, which is stated and fails only with --online.`);
  process.exit(0);
}
const root = join(import.meta.dirname, '../..');
const locked = ['.', 'tests/published'].map((folder) => join(root, folder));
let failed = 0;

function tell(name: string, ok: string, faults: readonly string[], isFatal = true): void {
  console.log(`${name}: ${faults.length === 0 ? ok : `${faults.length} found`}`);
  for (const fault of faults) console.log(`  ${fault}`);
  if (isFatal) failed += faults.length;
}

/** Nothing waits for a network, unless this was asked for: then what did not run has failed. */
function tellOutcome(name: string, outcome: Outcome): void {
  if (outcome.ran) {
    tell(name, 'ran, none found', outcome.faults, values.online);
    return;
  }
  console.log(`${name}: DID NOT RUN, so nothing is known: ${outcome.why}`);
  if (values.online) failed += 1;
}

const asked = Promise.all(locked.map(readAdvisories).concat(readSignatures(root)));
const { found, files } = await trackedSecrets(root);
tell('secrets', `none in ${files} files`, found);
const packages = locked.map(readLock);
tell(
  'licences and integrity',
  `${packages.reduce((sum, lock) => sum + Object.keys(lock).length, 0)} packages`,
  packages.flatMap(supplyChainFaults),
);
const missing = missingOf(root, titledCalls(root));
const unshown = values.from ? unshownBy(readReport(root, values.from)) : [];
tell('requests that did harm once', `${regressions.length} are tests`, [...missing, ...unshown]);
const names = ['advisories', 'advisories of tests/published', 'signatures and provenance'];
for (const [at, outcome] of (await asked).entries()) tellOutcome(names[at] ?? '', outcome);
process.exit(failed === 0 ? 0 : 1);
