import type { Rule } from './rules.ts';
import { ruleIds } from './titles.ts';

export type RuleStatus = 'proven' | 'waiting' | 'reserved' | 'not testable';

export interface AreaResult {
  readonly area: string;
  readonly rules: readonly (Rule & { readonly status: RuleStatus })[];
}

export interface VitestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** The rules that a run proved: at least one test names the rule, and all tests that name it passed. */
export function shownRules(report: VitestReport): ReadonlySet<string> {
  const outcomes = new Map<string, Set<string>>();
  for (const { fullName, status } of report.testResults.flatMap((file) => file.assertionResults)) {
    for (const id of ruleIds(fullName)) outcomes.set(id, (outcomes.get(id) ?? new Set()).add(status));
  }
  return new Set([...outcomes].flatMap(([id, seen]) => ([...seen].every((status) => status === 'passed') ? [id] : [])));
}

/** The status of each rule if these are proven. Reserved rules stay reserved even if a test passes. */
export function tally(rules: readonly Rule[], proven: ReadonlySet<string>, areas: readonly string[]): AreaResult[] {
  const isProven = (id: string) => proven.has(id);
  const statusOf = ({ id, state }: Rule): RuleStatus => {
    if (state === 'waits') return isProven(id) ? 'proven' : 'waiting';
    return state === 'reserved' ? 'reserved' : 'not testable';
  };
  return areas.map((area) => ({
    area,
    rules: rules.filter((rule) => rule.area === area).map((rule) => ({ ...rule, status: statusOf(rule) })),
  }));
}

export function counts({ rules }: AreaResult): Record<RuleStatus, number> {
  const count = (status: RuleStatus) => rules.filter((rule) => rule.status === status).length;
  return {
    proven: count('proven'),
    waiting: count('waiting'),
    reserved: count('reserved'),
    'not testable': count('not testable'),
  };
}

/** The sentence of a rule and, if it is unproven, the reason. */
export function line({ id, asks, status, note }: AreaResult['rules'][number]): string {
  const why = {
    proven: '',
    waiting: ` Waits for ${note}.`,
    reserved: ` Reserved: ${note}.`,
    'not testable': ` Cannot be tested: ${note}.`,
  };
  return `${id}: ${asks}${why[status]}`;
}

/** `outside` contains the rules that `tributary conformance` checks. */
export function conformancePage(
  results: readonly AreaResult[],
  operations: { served: number; total: number },
  outside: ReadonlySet<string>,
): string {
  const lines = [
    '# Conformance',
    '',
    'There are two proofs of a rule:',
    '',
    '- **From outside:** `tributary conformance` checks it over the public API of a running installation',
    '  ([how to run it](operations/conformance.md)). CI runs it against a fresh installation.',
    '- **By tests:** a test of the code carries the id of the rule, and every test that does passes. `.ci/run` compares this page with its own run.',
    '',
    'The rules are in `apps/cli/conformance/rules.tsv`; those that no test proves are listed below.',
    '',
    `Operations served: ${operations.served} of ${operations.total}.`,
    '',
    '| area | rules | from outside | by tests | waiting | reserved | not testable |',
    '|---|---|---|---|---|---|---|',
  ];
  for (const result of results) {
    const checked = result.rules.filter(({ id }) => outside.has(id)).length;
    lines.push(
      `| ${result.area} | ${result.rules.length} | ${checked} | ${Object.values(counts(result)).join(' | ')} |`,
    );
  }
  for (const { area, rules } of results) {
    const open = rules.filter(({ status }) => status !== 'proven');
    if (open.length > 0) lines.push('', `## ${area}`, '', ...open.map((rule) => `- ${line(rule)}`));
  }
  return `${lines.join('\n')}\n`;
}
