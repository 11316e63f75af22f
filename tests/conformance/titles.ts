import type { Rule } from './rules.ts';

/** With more, a failure would not say which rule it is about. */
const mostIds = 4;

/** The rules that a test's title names: `[eras-035]`. */
export function ruleIds(title: string): string[] {
  return [...title.matchAll(/\[([a-z]+-\d{3})\]/g)].map(([, id]) => id as string);
}

/** What is wrong with the titles; `unserved` are operations of the specification that the contract does not declare. */
export function titleFaults(
  titles: Iterable<string>,
  rules: readonly Rule[],
  unserved: ReadonlySet<string>,
): readonly string[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return [...new Set(titles)].flatMap((title) => {
    const ids = ruleIds(title);
    const faults = ids.flatMap((id) => {
      const rule = byId.get(id);
      if (!rule) return [`there is no rule ${id}`];
      const missing = rule.operations.filter((operation) => unserved.has(operation));
      return missing.length > 0 ? [`${id} is about ${missing.join(', ')}, which is not served`] : [];
    });
    if (ids.length > mostIds) faults.push(`${ids.length} rules in one title; at most ${mostIds} tell which one failed`);
    return faults.map((fault) => `${fault}: "${title}"`);
  });
}
