import { type Section, sections } from './check.ts';
import { type ListedRule, listRules } from './rules.ts';
import type { CheckResult } from './run.ts';

type RuleOutcome = 'passed' | 'failed' | 'not tried';

interface SectionResult {
  readonly section: Section;
  readonly checks: Readonly<Record<RuleOutcome, number>>;
  readonly rules: Readonly<Record<RuleOutcome, number>>;
}

export interface Report {
  readonly against: string;
  readonly at: string;
  readonly seconds: number;
  readonly sections: readonly SectionResult[];
  readonly checks: readonly CheckResult[];
  readonly not_tried: readonly { readonly id: string; readonly asks: string; readonly why: string }[];
}

interface Facts {
  readonly against: string;
  readonly at: Date;
  readonly seconds: number;
  /** When set, only the section's rules are counted. */
  readonly section?: Section | undefined;
}

/** A rule passes when every check that names it passed. */
function outcomes(results: readonly CheckResult[]): ReadonlyMap<string, RuleOutcome> {
  const worst = new Map<string, RuleOutcome>();
  for (const { rules, outcome } of results)
    for (const id of rules) {
      const previous = worst.get(id);
      if (previous === 'failed' || outcome === 'failed') worst.set(id, 'failed');
      else if (previous === undefined || previous === 'not tried') worst.set(id, outcome);
    }
  return worst;
}

function count(all: readonly RuleOutcome[]): Record<RuleOutcome, number> {
  const tally = { passed: 0, failed: 0, 'not tried': 0 };
  for (const one of all) tally[one] += 1;
  return tally;
}

export function makeReport(results: readonly CheckResult[], { against, at, seconds, section }: Facts): Report {
  const found = outcomes(results);
  const rules = listRules();
  const names = (Object.keys(sections) as Section[]).filter((name) => section === undefined || name === section);
  const ofSections = names.map((name) => ({
    section: name,
    checks: count(results.filter((result) => result.section === name).map(({ outcome }) => outcome)),
    rules: count(rules.filter(({ area }) => area === sections[name]).map(({ id }) => found.get(id) ?? 'not tried')),
  }));
  const areas = new Set<string | undefined>(names.map((name) => sections[name]));
  const untried = rules.filter(({ id, area }) => areas.has(area) && (found.get(id) ?? 'not tried') === 'not tried');
  return {
    against,
    at: at.toISOString(),
    seconds,
    sections: ofSections,
    checks: results,
    not_tried: untried.map((rule) => ({ id: rule.id, asks: rule.asks, why: whyNotTried(rule, results) })),
  };
}

function whyNotTried({ id, state, note }: ListedRule, results: readonly CheckResult[]): string {
  if (state !== 'waits') return note;
  const check = results.find(({ rules }) => rules.includes(id));
  return check?.reason ?? 'no check from outside';
}

const columns = ['passed', 'failed', 'not tried'] as const;

export function summaryTable(report: Report): string[] {
  const total = (kind: 'checks' | 'rules', column: RuleOutcome) =>
    report.sections.reduce((sum, section) => sum + section[kind][column], 0);
  const row = (name: string, cells: readonly number[]) => `| ${name} | ${cells.join(' | ')} |`;
  return [
    '| section | checks passed | checks failed | checks not tried | rules passed | rules failed | rules not tried |',
    '|---|---|---|---|---|---|---|',
    ...report.sections.map(({ section, checks, rules }) =>
      row(section, [...columns.map((column) => checks[column]), ...columns.map((column) => rules[column])]),
    ),
    row('**all**', [
      ...columns.map((column) => total('checks', column)),
      ...columns.map((column) => total('rules', column)),
    ]),
  ];
}

/** The report in Markdown. Contains request and response of each check, failed checks first. */
export function writeMarkdown(report: Report): string {
  const day = report.at.slice(0, 10);
  const failed = report.checks.filter(({ outcome }) => outcome === 'failed');
  const passed = report.checks.filter(({ outcome }) => outcome === 'passed');
  const untried = report.checks.filter(({ outcome }) => outcome === 'not tried');
  const lines = [
    `# Conformance of ${report.against}, ${day}`,
    '',
    `Started ${report.at}, took ${report.seconds} seconds. Secrets are redacted and long bodies are cut off.`,
    '',
    ...summaryTable(report),
    '',
    `## Failed (${failed.length})`,
    ...failed.flatMap(describe),
    '',
    `## Passed (${passed.length})`,
    ...passed.flatMap(describe),
    '',
    `## Checks not tried (${untried.length})`,
    '',
    ...untried.map(({ title, reason, rules }) => `- ${title}${listed(rules)}: ${reason}`),
    '',
    `## Rules not tried from outside (${report.not_tried.length})`,
    '',
    ...report.not_tried.map(({ id, asks, why }) => `- ${id}: ${asks} (${why})`),
  ];
  return `${lines.join('\n')}\n`;
}

const listed = (rules: readonly string[]) => (rules.length > 0 ? ` [${rules.join(', ')}]` : '');

function describe({ section, title, rules, reason, exchanges }: CheckResult): string[] {
  const shown = exchanges.flatMap(({ request, sent, status, answer }) => [
    request,
    ...(sent === undefined ? [] : [sent]),
    `-> ${status} ${answer}`,
    '',
  ]);
  return [
    '',
    `### ${section}: ${title}${listed(rules)}`,
    ...(reason === undefined ? [] : ['', `**${reason.replaceAll('\n', ' ')}**`]),
    ...(shown.length > 0 ? ['', '```text', ...shown.slice(0, -1), '```'] : []),
  ];
}
