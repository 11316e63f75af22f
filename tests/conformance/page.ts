import { checks } from '../../apps/cli/conformance/checks.ts';
import { servedOperations } from './operations.ts';
import { conformancePage, tally } from './report.ts';
import { allRules } from './rules.ts';
import { textsOfTests, titledCalls } from './tests-in-source.ts';
import { claimedRules, titleFaults } from './titles.ts';

/** docs/conformance.md, from the rules claimed in test titles. Whether the tests pass is checked where they run. */
export function claimedPage(root: string): string {
  const rules = allRules();
  const areas = [...new Set(rules.map(({ area }) => area))];
  const { served, unserved } = servedOperations();
  const results = tally(rules, new Set(claimedRules(textsOfTests(root)).keys()), areas);
  const outside = new Set(checks.flatMap((check) => check.rules));
  return conformancePage(results, { served: served.size, total: served.size + unserved.size }, outside);
}

/** Titles that claim a rule without being able to prove it. */
export function claimFaults(root: string): readonly string[] {
  return titleFaults(titledCalls(root), allRules(), servedOperations().unserved);
}
