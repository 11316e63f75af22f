import { byAge } from '@tributary/rules';

/** Customers who are one person, with the oldest, whose id stands for all of them. */
export interface Part {
  readonly rootId: string;
  /** From the oldest to the youngest. */
  readonly memberIds: readonly string[];
}

/** A message named these two. */
export interface Named {
  readonly one: string;
  readonly other: string;
  /** A merge of the two stands, so it joins them whatever keys they have. */
  readonly isStanding?: boolean;
}

/** What keeps two customers from being one person, whatever a message says. */
export interface Kept {
  readonly apart: readonly (readonly [string, string])[];
  /** By customer, where one is known. */
  readonly nationalIds: ReadonlyMap<string, string>;
  /** Customers with a key of the caller: two of them are never joined by what a message says. */
  readonly keyed: ReadonlySet<string>;
}

/**
 * Lives messages again, one after another: each joins the two whom it names, unless they are one already or are kept from it. Resolves to who is one
 * person in the end, and to the messages that joined.
 */
export function live<Message extends Named>(
  customers: readonly { readonly id: string; readonly createdAt: Date }[],
  messages: readonly Message[],
  { apart, nationalIds, keyed }: Kept,
): { parts: Part[]; joining: Message[] } {
  const people = new Map(
    customers.map(({ id }): [string, Person] => [
      id,
      { memberIds: [id], apartFrom: new Set(), nationalId: nationalIds.get(id), isKeyed: keyed.has(id) },
    ]),
  );
  for (const [one, other] of apart) {
    people.get(one)?.apartFrom.add(other);
    people.get(other)?.apartFrom.add(one);
  }
  const joining = messages.filter((message) => {
    const [one, other] = [people.get(message.one), people.get(message.other)];
    if (!one || !other || one === other || areTwo(one, other, people)) return false;
    if (one.isKeyed && other.isKeyed && !message.isStanding) return false;
    const [larger, smaller] = one.memberIds.length < other.memberIds.length ? [other, one] : [one, other];
    larger.memberIds.push(...smaller.memberIds);
    for (const id of smaller.apartFrom) larger.apartFrom.add(id);
    larger.nationalId ??= smaller.nationalId;
    larger.isKeyed ||= smaller.isKeyed;
    for (const id of smaller.memberIds) people.set(id, larger);
    return true;
  });
  const fromOldest = customers.toSorted(byAge).map(({ id }) => id);
  const parts = Map.groupBy(fromOldest, (id) => people.get(id) as Person);
  return {
    parts: [...parts.values()].map((memberIds) => ({ rootId: memberIds[0] as string, memberIds })),
    joining,
  };
}

interface Person {
  readonly memberIds: string[];
  readonly apartFrom: Set<string>;
  nationalId: string | undefined;
  isKeyed: boolean;
}

function areTwo(one: Person, other: Person, people: ReadonlyMap<string, Person>): boolean {
  if (one.nationalId !== undefined && other.nationalId !== undefined && one.nationalId !== other.nationalId)
    return true;
  const [fewer, of] = one.apartFrom.size < other.apartFrom.size ? [one, other] : [other, one];
  return [...fewer.apartFrom].some((id) => people.get(id) === of);
}
