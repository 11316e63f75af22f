/** Words after which SQL names tables. Ours is written in capitals, so a sentence in a message is not taken for it. */
const places = /\b(?:FROM|JOIN|INTO|UPDATE|USING|TABLE|TRUNCATE)\s+(?=[a-z])/g;
/** A table with its other name, if it has one. */
const named = /^(?:ONLY\s+)?([a-z]\w*)(?:\s+(?:AS\s+)?[a-z]\w*)?/;

const kysely =
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|(?:inner|left|right|full|cross)Join(?:Lateral)?|using|from|table)\(\s*(\[[^\]]*\]|'[^']*')/g;
const clickhouse = /\b(?:insert|insertText|dropPartition)\((?:\w+,\s*)?'(\w+)'|\btable: '(\w+)'/g;
const casts = /::([a-z]\w*)/g;

/** Names that a source, TypeScript or SQL, uses as tables; among them may be others, of common table expressions and types. */
export function tablesIn(source: string): Set<string> {
  const text = withoutComments(source);
  const found = new Set<string>();
  for (const { index, 0: word } of text.matchAll(places))
    for (const name of listAt(text, index + word.length)) found.add(name);
  for (const [, tables = ''] of text.matchAll(kysely))
    for (const [, name = ''] of tables.matchAll(/'(\w+)/g)) found.add(name);
  for (const [, inserted, named] of text.matchAll(clickhouse)) found.add(inserted ?? named ?? '');
  for (const [, name = ''] of text.matchAll(casts)) found.add(name);
  return found;
}

/** The tables of a list with commas. */
function listAt(text: string, from: number): string[] {
  const names: string[] = [];
  let rest = text.slice(from, from + 500);
  for (;;) {
    const match = named.exec(rest);
    if (!match?.[1]) return names;
    names.push(match[1]);
    const comma = /^\s*,\s*/.exec(rest.slice(match[0].length));
    if (!comma) return names;
    rest = rest.slice(match[0].length + comma[0].length);
  }
}

const withoutComments = (source: string): string =>
  source
    .replaceAll(/(^|\s)\/\*[\s\S]*?\*\//g, '$1')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/--.*$/gm, '');
