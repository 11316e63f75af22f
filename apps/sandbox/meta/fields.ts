/** What `fields=id,creative{id,name}` asks for; nothing else is answered. */
interface Wanted {
  readonly name: string;
  readonly inside: readonly Wanted[];
}

/** Lists that were read before: one is asked for with every row. */
const known = new Map<string, readonly Wanted[]>();
const mostKnown = 100;

export function pickFields(
  asked: string | undefined,
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const key = asked ?? 'id';
  const wanted = known.get(key) ?? read(key).wanted;
  if (known.size >= mostKnown) known.clear();
  known.set(key, wanted);
  return { id: value.id, ...pick(wanted, value) };
}

function pick(wanted: readonly Wanted[], value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const { name, inside } of wanted) {
    const found = value[name];
    if (found === undefined) continue;
    picked[name] = inside.length > 0 ? pick(inside, found as Record<string, unknown>) : found;
  }
  return picked;
}

function read(text: string): { readonly wanted: readonly Wanted[]; readonly rest: string } {
  const wanted: Wanted[] = [];
  let rest = text;
  while (rest !== '' && !rest.startsWith('}')) {
    const name = /^[^,{}]+/.exec(rest)?.[0] ?? '';
    if (name === '') throw new SyntaxError(`${text} is no list of fields.`);
    rest = rest.slice(name.length);
    let inside: readonly Wanted[] = [];
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
