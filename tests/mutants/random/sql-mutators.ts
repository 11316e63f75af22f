import type { Change } from './change.ts';

/** A value on the right of a comparison: a parameter of a template or of a query file, a string, a number or a column. */
const value = String.raw`(?:\$\{[^{}]*\}|\{[^{}]*\}|'[^']*'|-?\d+|[\w."]+)(?:::\w+(?:\[\])?)?`;

const rules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [new RegExp(String.raw`\s+AND [\w."]+ (?:=|<>|!=|<=|>=|<|>) ${value}(?=[\s),;\u0060]|$)`, 'g'), ''],
  [/\s+AND [\w."]+ IS (?:NOT )?NULL/g, ''],
  [/(?<=\s)<=(?=\s)/g, '<'],
  [/(?<=\s)>=(?=\s)/g, '>'],
  [/(?<=\s)<(?=\s)/g, '<='],
  [/(?<=\s)>(?=\s)/g, '>='],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\bleast\(/g, 'greatest('],
  [/\bgreatest\(/g, 'least('],
  [/ DESC\b/g, ''],
  [/\bDISTINCT /g, ''],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/\bUNION ALL\b/g, 'UNION DISTINCT'],
];

/** Changes of SQL text that leave it valid SQL; its comments are left alone. */
export function mutateSql(text: string, offset: number): Omit<Change, 'mutator'>[] {
  const comments = [...text.matchAll(/--.*$/gm)].map(({ index, 0: { length } }) => [index, index + length] as const);
  return rules
    .flatMap(([pattern, replacement]) =>
      [...text.matchAll(pattern)].map((match) => ({
        start: match.index,
        end: match.index + match[0].length,
        replacement,
      })),
    )
    .filter(({ start }) => !comments.some(([from, to]) => start >= from && start < to))
    .map(({ start, end, replacement }) => ({ start: start + offset, end: end + offset, replacement }));
}
