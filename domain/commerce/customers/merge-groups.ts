import { byAge } from '@tributary/rules';

/** Customers that are one person. The oldest is the root, whose id represents all of them. */
export interface Part {
  readonly rootId: string;
  /** Oldest first. */
  readonly memberIds: readonly string[];
}

/** Two customers whose identifiers one message contained. */
export interface MentionedPair {
  readonly one: string;
  readonly other: string;
  /** An active merge of the two exists, so they are joined even if both have keys. */
  readonly hasActiveMerge?: boolean;
}

/** Constraints that prevent two customers from being joined by a message. */
export interface JoinConstraints {
  readonly apart: readonly (readonly [string, string])[];
  /** By customer id, if known. */
  readonly nationalIds: ReadonlyMap<string, string>;
  /** Customers with a key of the caller. A message never joins two of them. */
  readonly keyed: ReadonlySet<string>;
}

/**
 * Replays messages in order. Each joins the two customers it names, unless they are joined already or a constraint forbids it. Returns the
 * resulting groups and the messages that joined.
 */
export function replayMessages<Message extends MentionedPair>(
  customers: readonly { readonly id: string; readonly createdAt: Date }[],
  messages: readonly Message[],
  { apart, nationalIds, keyed }: JoinConstraints,
): { parts: Part[]; joining: Message[] } {
  const groups = new Map(
    customers.map(({ id }): [string, Group] => [
      id,
      { memberIds: [id], apartFrom: new Set(), nationalId: nationalIds.get(id), isKeyed: keyed.has(id) },
    ]),
  );
  for (const [one, other] of apart) {
    groups.get(one)?.apartFrom.add(other);
    groups.get(other)?.apartFrom.add(one);
  }
  const joining = messages.filter((message) => {
    const [one, other] = [groups.get(message.one), groups.get(message.other)];
    if (!one || !other || one === other || mustStayApart(one, other, groups)) return false;
    if (one.isKeyed && other.isKeyed && !message.hasActiveMerge) return false;
    const [larger, smaller] = one.memberIds.length < other.memberIds.length ? [other, one] : [one, other];
    larger.memberIds.push(...smaller.memberIds);
    for (const id of smaller.apartFrom) larger.apartFrom.add(id);
    larger.nationalId ??= smaller.nationalId;
    larger.isKeyed ||= smaller.isKeyed;
    for (const id of smaller.memberIds) groups.set(id, larger);
    return true;
  });
  const fromOldest = customers.toSorted(byAge).map(({ id }) => id);
  const parts = Map.groupBy(fromOldest, (id) => groups.get(id) as Group);
  return {
    parts: [...parts.values()].map((memberIds) => ({ rootId: memberIds[0] as string, memberIds })),
    joining,
  };
}

interface Group {
  readonly memberIds: string[];
  readonly apartFrom: Set<string>;
  nationalId: string | undefined;
  isKeyed: boolean;
}

function mustStayApart(one: Group, other: Group, groups: ReadonlyMap<string, Group>): boolean {
  if (one.nationalId !== undefined && other.nationalId !== undefined && one.nationalId !== other.nationalId)
    return true;
  const [fewer, of] = one.apartFrom.size < other.apartFrom.size ? [one, other] : [other, one];
  return [...fewer.apartFrom].some((id) => groups.get(id) === of);
}
