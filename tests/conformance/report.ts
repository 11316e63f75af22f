/** What a rule of the specification is proven by is said in test titles: `[eras-035]`. This turns their results into a page. */
export interface Rule {
  readonly id: string;
  readonly area: string;
  /** What is known of it while no test proves it. */
  readonly state: 'waits' | 'reserved' | 'not_testable';
  readonly note: string;
}

export interface AreaResult {
  readonly area: string;
  readonly total: number;
  readonly proven: readonly Rule[];
  readonly waiting: readonly Rule[];
  readonly reserved: readonly Rule[];
  readonly notTestable: readonly Rule[];
}

interface VitestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export function readRules(text: string): Rule[] {
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [id = '', state = '', note = ''] = line.split('\t');
      return { id, area: id.split('-')[0] ?? '', state: state as Rule['state'], note };
    });
}

/** A rule is proven when a test names it and every test that names it passed. Reserved rules stay reserved, whatever is tested. */
export function tally(rules: readonly Rule[], report: VitestReport, areas: readonly string[]): AreaResult[] {
  const outcomes = new Map<string, Set<string>>();
  for (const { fullName, status } of report.testResults.flatMap((file) => file.assertionResults)) {
    for (const [, id] of fullName.matchAll(/\[([a-z]+-\d{3})\]/g)) {
      if (id) outcomes.set(id, (outcomes.get(id) ?? new Set()).add(status));
    }
  }
  const isProven = (id: string) => [...(outcomes.get(id) ?? ['none'])].every((status) => status === 'passed');
  const known = new Set(rules.map((rule) => rule.id));
  const strays = [...outcomes.keys()].filter((id) => !known.has(id));
  if (strays.length > 0) throw new Error(`Tests name rules that do not exist: ${strays.join(', ')}`);
  return areas.map((area) => {
    const own = rules.filter((rule) => rule.area === area);
    const open = own.filter((rule) => rule.state === 'waits');
    return {
      area,
      total: own.length,
      proven: open.filter((rule) => isProven(rule.id)),
      waiting: open.filter((rule) => !isProven(rule.id)),
      reserved: own.filter((rule) => rule.state === 'reserved'),
      notTestable: own.filter((rule) => rule.state === 'not_testable'),
    };
  });
}

export function conformancePage(results: readonly AreaResult[], operations: { total: number; served: number }): string {
  const lines = [
    '# Conformance',
    '',
    'Written by `npm run conformance`. A rule is proven when a passing test carries its id and no failing one does.',
    '',
  ];
  lines.push(
    `Operations served: ${operations.served} of ${operations.total}.`,
    '',
    '| area | rules | proven | waiting | reserved | not testable |',
    '|---|---|---|---|---|---|',
  );
  for (const { area, total, proven, waiting, reserved, notTestable } of results) {
    lines.push(
      `| ${area} | ${total} | ${proven.length} | ${waiting.length} | ${reserved.length} | ${notTestable.length} |`,
    );
  }
  for (const { area, waiting, reserved, notTestable } of results) {
    if (waiting.length + reserved.length + notTestable.length === 0) continue;
    lines.push('', `## ${area}`, '');
    for (const { id, note } of waiting) lines.push(`- ${id} waits for ${note}`);
    for (const { id, note } of reserved) lines.push(`- ${id} is reserved: ${note}`);
    for (const { id, note } of notTestable) lines.push(`- ${id} cannot be tested: ${note}`);
  }
  return `${lines.join('\n')}\n`;
}
