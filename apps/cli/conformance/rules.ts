import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A rule of the specification as listed in a report. */
export interface ListedRule {
  readonly id: string;
  readonly area: string;
  readonly asks: string;
  /** `waits` for a proof, `reserved` for what is not served, or `not_testable`. */
  readonly state: string;
  readonly note: string;
}

export const rulesFile = join(import.meta.dirname, 'rules.tsv');

export function listRules(): readonly ListedRule[] {
  const [, ...lines] = readFileSync(rulesFile, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [id = '', asks = '', state = '', note = ''] = line.split('\t');
    return { id, area: id.slice(0, -4), asks, state, note };
  });
}
