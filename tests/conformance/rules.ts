import { readFileSync } from 'node:fs';
import { rulesFile } from '../../apps/cli/conformance/rules.ts';

/** A rule of the specification, in our own words. */
export interface Rule {
  readonly id: string;
  readonly area: string;
  /** The requirement, in one sentence. */
  readonly asks: string;
  /** Its state unless a test proves it. */
  readonly state: 'waits' | 'reserved' | 'not_testable';
  /** What the rule waits for, or why it is not tested. */
  readonly note: string;
  /** The operations in its note: `GET /api/v1/customers`. */
  readonly operations: readonly string[];
}

const states: readonly string[] = ['waits', 'reserved', 'not_testable'] satisfies Rule['state'][];

export function allRules(): Rule[] {
  return readRules(readFileSync(rulesFile, 'utf8'));
}

/** Columns are found by their heading, so they can be in any order. */
export function readRules(text: string): Rule[] {
  const [heading = '', ...lines] = text.trim().split('\n');
  const columns = heading.split('\t');
  const rules = lines.map((line) => {
    const cells = line.split('\t');
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const [id, asks, state, note] = [cell('id'), cell('asks'), cell('state'), cell('note')];
    if (!/^[a-z]+-\d{3}$/.test(id) || asks === '' || !states.includes(state)) throw new Error(`No rule: "${line}"`);
    const operations = [...note.matchAll(/(?:GET|POST|PUT|PATCH|DELETE) \/[^\s,]+/g)].map(([operation]) => operation);
    return { id, area: id.slice(0, -4), asks, state: state as Rule['state'], note, operations };
  });
  const twice = rules.find(({ id }, index) => rules.findIndex((rule) => rule.id === id) !== index);
  if (twice) throw new Error(`${twice.id} is there twice.`);
  return rules;
}
