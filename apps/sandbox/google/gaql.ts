/** The subset of Google's query language that reading ads needs. Rows have their fields by path: `campaign.id`. */
export type Row = Readonly<Record<string, unknown>>;

export interface Query {
  readonly fields: readonly string[];
  readonly resource: string;
  matches(row: Row): boolean;
}

export function readQuery(text: string): Query | undefined {
  const parts = /^SELECT (.+) FROM (\w+)(?: WHERE (.+))?$/.exec(text.trim());
  if (!parts) return undefined;
  const [, fields = '', resource = '', where] = parts;
  const conditions = where === undefined ? [] : where.split(/ AND (?=\w+(?:\.\w+)+ )/).map(readCondition);
  if (conditions.includes(undefined)) return undefined;
  return {
    fields: fields.split(',').map((field) => field.trim()),
    resource,
    matches: (row) => conditions.every((holds) => holds?.(row)),
  };
}

function readCondition(text: string): ((row: Row) => boolean) | undefined {
  const between = /^([\w.]+) BETWEEN '([^']+)' AND '([^']+)'$/.exec(text);
  if (between) {
    const [, field = '', low = '', high = ''] = between;
    return (row) => String(row[field]) >= low && String(row[field]) <= high;
  }
  const equal = /^([\w.]+) = '?([^']+)'?$/.exec(text);
  return equal ? (row) => String(row[equal[1] ?? '']) === equal[2] : undefined;
}

/** The selected fields that have a value, as nested objects in camel case. */
export function answerRow({ fields }: Query, row: Row): object {
  const answer: Record<string, unknown> = {};
  for (const field of fields) {
    const value = row[field];
    if (value === undefined) continue;
    const path = field.split('.').map(camel);
    let at = answer;
    for (const part of path.slice(0, -1)) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
    at[path.at(-1) ?? ''] = value;
  }
  return answer;
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
