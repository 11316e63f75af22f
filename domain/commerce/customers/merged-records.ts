import type { Tx } from '@tributary/postgres';
import { byAge, type Identifier, maxTermsOfCustomer, searchTerms } from '@tributary/rules';
import { sql } from 'kysely';
import { type FactName, type Facts, filledFacts } from './customer-book.ts';
import { findClaims, findIdentifiers } from './erase.ts';
import type { MentionedPair, Part } from './merge-groups.ts';

/** A message that joins two customers, with its time. */
export interface JoiningMessage extends MentionedPair {
  readonly saidAt: Date;
  readonly requestId: string | null;
}

interface Node {
  readonly id: string;
  readonly createdAt: Date;
  readonly facts: Facts;
  /** Whether the customer's own facts are stored separately from the merged ones. */
  readonly hasOwn: boolean;
}

/** Rewrites the records of a part: the oldest customer gets the merged facts, the others are removed from search. */
export async function writeRecord(
  tx: Tx,
  profileId: string,
  { rootId, memberIds }: Part,
  joining: readonly JoiningMessage[],
): Promise<void> {
  const members = await readMembers(tx, profileId, memberIds);
  const root = members.find(({ id }) => id === rootId) as Node;
  const { whole, states } = replayHistory(members, joining);
  const terms = termsOf(states, [
    ...(await findIdentifiers(tx, profileId, [rootId])),
    ...(await findClaims(tx, profileId, memberIds)),
  ]);
  await sql`
    UPDATE customers SET first_name = ${whole.firstName}, last_name = ${whole.lastName}, primary_email = ${whole.primaryEmail},
      primary_phone = ${whole.primaryPhone}, sources = ${[...whole.sources]}::text[], terms = ${terms}::text[],
      first_seen_at = ${whole.firstSeenAt}, last_seen_at = ${whole.lastSeenAt},
      own = ${members.length > 1 || root.hasOwn ? JSON.stringify(root.facts) : null}::jsonb
    WHERE profile_id = ${profileId} AND id = ${rootId}`.execute(tx);
  await sql`
    UPDATE customers SET terms = '{}'
    WHERE profile_id = ${profileId} AND id = ANY (${memberIds}::uuid[]) AND id <> ${rootId} AND cardinality(terms) > 0`.execute(
    tx,
  );
}

async function readMembers(tx: Tx, profileId: string, memberIds: readonly string[]): Promise<Node[]> {
  const { rows } = await sql<Omit<Node, 'facts'> & { own: Stored<Facts> }>`
    SELECT id, created_at AS "createdAt", own IS NOT NULL AS "hasOwn", coalesce(own, jsonb_build_object('firstName', first_name,
      'lastName', last_name, 'primaryEmail', primary_email, 'primaryPhone', primary_phone, 'sources', to_jsonb(sources),
      'firstSeenAt', first_seen_at, 'lastSeenAt', last_seen_at)) AS own
    FROM customers WHERE profile_id = ${profileId} AND id = ANY (${memberIds}::uuid[])`.execute(tx);
  return rows.map(({ own, ...row }) => ({
    ...row,
    facts: { ...own, firstSeenAt: new Date(own.firstSeenAt), lastSeenAt: new Date(own.lastSeenAt) },
  }));
}

/** The type after a JSON round trip. */
type Stored<T> = { readonly [Key in keyof T]: T[Key] extends Date ? string : T[Key] };

/** A group of customers merged so far, with its merged facts. */
type Group = Pick<Node, 'id' | 'createdAt'> & { facts: Facts };

/**
 * Replays the merges, and the facts stated since the first of them, in time order. A merge fills the facts of the oldest customer from the
 * younger ones; a stated fact fills the group of that time. Returns the final facts, and every intermediate state for the search terms.
 */
function replayHistory(
  members: readonly Node[],
  joining: readonly JoiningMessage[],
): { whole: Facts; states: Facts[] } {
  const groups = new Map(
    members.map(({ id, createdAt, facts }): [string, Group] => [id, { id, createdAt, facts: factsAtFirst(facts) }]),
  );
  const getGroup = (id: string) => groups.get(id) as Group;
  const states = [...groups.values()].map(({ facts }) => facts);
  const named = joining.filter(({ one, other }) => groups.has(one) && groups.has(other));
  const messages = Map.groupBy(named, ({ saidAt, one, requestId }) => `${saidAt.getTime()} ${one} ${requestId}`);
  const merges = [...messages.values()].map((pairs) => ({
    at: pairs[0]?.saidAt.getTime() ?? 0,
    // At equal times, merges come before facts.
    order: 0,
    apply() {
      const joined = new Set(pairs.flatMap(({ one, other }) => [getGroup(one), getGroup(other)]));
      // The facts of the oldest customer win.
      const [oldest, ...younger] = [...joined].sort(byAge) as [Group, ...Group[]];
      const whole = { ...oldest, facts: younger.map(({ facts }) => facts).reduce(filledFacts, oldest.facts) };
      for (const [id, group] of groups) if (joined.has(group)) groups.set(id, whole);
      return whole;
    },
  }));
  const factUpdates = members.flatMap(({ id, facts }) =>
    (Object.entries(facts.saidAt ?? {}) as [FactName, string][]).map(([fact, at]) => ({
      at: Date.parse(at),
      order: 1,
      apply() {
        const whole = getGroup(id);
        whole.facts = { ...whole.facts, [fact]: whole.facts[fact] ?? facts[fact] };
        return whole;
      },
    })),
  );
  const history = [...merges, ...factUpdates].sort((a, b) => a.at - b.at || a.order - b.order);
  for (const { apply } of history) states.push(apply().facts);
  return { whole: getGroup(members[0]?.id ?? '').facts, states };
}

/** The facts before the first merge. */
function factsAtFirst({ saidAt = {}, ...facts }: Facts): Facts {
  return { ...facts, ...Object.fromEntries(Object.keys(saidAt).map((fact) => [fact, null])) };
}

/** Search terms of a merged customer: it is found by every name that any of its states had. */
function termsOf(groups: readonly Facts[], identifiers: readonly Identifier[]): string[] {
  const valuesOf = (wantedKind: Identifier['kind']) =>
    identifiers.filter(({ kind }) => kind === wantedKind).map(({ value }) => value);
  const terms = groups.flatMap(({ firstName, lastName }) =>
    searchTerms({
      firstName: firstName ?? undefined,
      lastName: lastName ?? undefined,
      emails: valuesOf('email'),
      phones: valuesOf('phone'),
    }),
  );
  return [...new Set(terms)].slice(0, maxTermsOfCustomer);
}
