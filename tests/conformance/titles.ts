import type { Rule } from './rules.ts';
import type { TitledCall } from './tests-in-source.ts';

/** With more rules in one title, a failure would not show which rule it concerns. */
const maxIds = 4;

/** Modifiers with which a test may pass without proving anything. */
const unreliable: Readonly<Record<string, string>> = {
  fails: 'passes when it fails',
  todo: 'is not written',
  skip: 'does not run',
  skipIf: 'does not always run',
  runIf: 'does not always run',
  retry: 'may fail before it passes',
  only: 'keeps the others from running',
};

/** The rule ids in a test's title: `[eras-035]`. */
export function ruleIds(title: string): string[] {
  return [...title.matchAll(/\[([a-z]+-\d{3})\]/g)].map(([, id]) => id as string);
}

/** The rules that tests claim to prove, with the files of those tests. */
export function claimedRules(texts: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  for (const [file, ofFile] of texts)
    for (const id of new Set(ofFile.flatMap(ruleIds))) files.set(id, [...(files.get(id) ?? []), file]);
  return files;
}

/** Finds faults of the calls that name rules. `unserved` contains operations of the specification that the contract does not declare. */
export function titleFaults(
  calls: readonly TitledCall[],
  rules: readonly Rule[],
  unserved: ReadonlySet<string>,
): readonly string[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return calls.flatMap(({ file, title, callee, options }) => {
    const ids = ruleIds(title);
    if (ids.length === 0) return [];
    const faults = ids.flatMap((id) => {
      const rule = byId.get(id);
      if (!rule) return [`there is no rule ${id}`];
      const missing = rule.operations.filter((operation) => unserved.has(operation));
      return missing.length > 0 ? [`${id} is about ${missing.join(', ')}, which is not served`] : [];
    });
    if (ids.length > maxIds) faults.push(`${ids.length} rules in one title; at most ${maxIds} are allowed`);
    if (callee[0] === 'describe') faults.push('a group proves nothing; name the rule on the test that does');
    for (const word of [...callee, ...options])
      if (word in unreliable) faults.push(`a test that ${unreliable[word]} proves no rule`);
    return faults.map((fault) => `${file}: ${fault}: "${title}"`);
  });
}
