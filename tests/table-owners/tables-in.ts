/** Keywords before table names in SQL. Our SQL has uppercase keywords, so sentences in messages do not match. */
const keywords = /\b(?:FROM|JOIN|INTO|UPDATE|USING|TABLE|TRUNCATE)\s+(?=[a-z])/g;
/** A table with an optional alias. */
const named = /^(?:ONLY\s+)?([a-z]\w*)(?:\s+(?:AS\s+)?[a-z]\w*)?/;

const kysely =
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|(?:inner|left|right|full|cross)Join(?:Lateral)?|using|from|table)\(\s*(\[[^\]]*\]|'[^']*')/g;
const clickhouse = /\b(?:insert|insertText|dropPartition)\((?:\w+,\s*)?'(\w+)'|\btable: '(\w+)'/g;
const casts = /::([a-z]\w*)/g;

/** Names that TypeScript or SQL source uses as tables. They may include common table expressions and types. */
export function tablesIn(source: string): Set<string> {
  const text = withoutComments(source);
  const found = new Set<string>();
  for (const { index, 0: word } of text.matchAll(keywords))
    for (const name of listAt(text, index + word.length)) found.add(name);
  for (const [, tables = ''] of text.matchAll(kysely))
    for (const [, name = ''] of tables.matchAll(/'(\w+)/g)) found.add(name);
  for (const [, inserted, named] of text.matchAll(clickhouse)) found.add(inserted ?? named ?? '');
  for (const [, name = ''] of text.matchAll(casts)) found.add(name);
  return found;
}

/** The tables of a comma-separated list. */
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
