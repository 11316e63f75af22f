/** The fields requested by `fields=id,creative{id,name}`; no others are returned. */
interface FieldSelection {
  readonly name: string;
  readonly inside: readonly FieldSelection[];
}

/** Caches parsed field lists, because one is requested with every row. */
const parsedFields = new Map<string, readonly FieldSelection[]>();
const maxParsedFields = 100;

export function pickFields(
  request: string | undefined,
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const key = request ?? 'id';
  const wanted = parsedFields.get(key) ?? read(key).wanted;
  if (parsedFields.size >= maxParsedFields) parsedFields.clear();
  parsedFields.set(key, wanted);
  return { id: value.id, ...pick(wanted, value) };
}

function pick(wanted: readonly FieldSelection[], value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const { name, inside } of wanted) {
    const found = value[name];
    if (found === undefined) continue;
    picked[name] = inside.length > 0 ? pick(inside, found as Record<string, unknown>) : found;
  }
  return picked;
}

function read(text: string): { readonly wanted: readonly FieldSelection[]; readonly rest: string } {
  const wanted: FieldSelection[] = [];
  let rest = text;
  while (rest !== '' && !rest.startsWith('}')) {
    const name = /^[^,{}]+/.exec(rest)?.[0] ?? '';
    if (name === '') throw new SyntaxError(`${text} is no list of fields.`);
    rest = rest.slice(name.length);
    let inside: readonly FieldSelection[] = [];
    if (rest.startsWith('{')) {
      const inner = read(rest.slice(1));
      inside = inner.wanted;
      rest = inner.rest.slice(1);
    }
    if (rest.startsWith(',')) rest = rest.slice(1);
    wanted.push({ name, inside });
  }
  return { wanted, rest };
}
