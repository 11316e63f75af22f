import type { Tx } from '@tributary/postgres';
import { byAge, type Identifier, maxTermsOfCustomer, searchTerms } from '@tributary/rules';
import { sql } from 'kysely';
import { type Facts, filledFacts, type ToldFact } from './customer-book.ts';
import { findClaims, findIdentifiers } from './erase.ts';
import type { Named, Part } from './person-tree.ts';

/** A message that joined two customers, and when it was said. */
export interface Joining extends Named {
  readonly saidAt: Date;
  readonly requestId: string | null;
}

interface Node {
  readonly id: string;
  readonly createdAt: Date;
  readonly facts: Facts;
  /** What it is itself is kept apart from what it is as a whole person. */
  readonly hasOwn: boolean;
}

/** What a part is made of: the facts of its oldest, filled up from the others as its merges did. Those who go into it are found no more. */
export async function writeRecord(
  tx: Tx,
  profileId: string,
  { rootId, memberIds }: Part,
  joining: readonly Joining[],
): Promise<void> {
  const members = await readMembers(tx, profileId, memberIds);
  const root = members.find(({ id }) => id === rootId) as Node;
  const { whole, kept } = livedAgain(members, joining);
  const terms = termsOf(kept, [
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

/** As JSON keeps it. */
type Stored<T> = { readonly [Key in keyof T]: T[Key] extends Date ? string : T[Key] };

/** Whom some customers have become. */
type Person = Pick<Node, 'id' | 'createdAt'> & { facts: Facts };

/**
 * The merges once more, and what was said since the first of them, in their order: a merge fills the older one up from the younger, and what is
 * said of somebody fills up whom they are by then. Resolves to the whole person, and to all that was ever kept on the way.
 */
function livedAgain(members: readonly Node[], joining: readonly Joining[]): { whole: Facts; kept: Facts[] } {
  const people = new Map(
    members.map(({ id, createdAt, facts }): [string, Person] => [id, { id, createdAt, facts: factsAtFirst(facts) }]),
  );
  const personOf = (id: string) => people.get(id) as Person;
  const kept = [...people.values()].map(({ facts }) => facts);
  const named = joining.filter(({ one, other }) => people.has(one) && people.has(other));
  const messages = Map.groupBy(named, ({ saidAt, one, requestId }) => `${saidAt.getTime()} ${one} ${requestId}`);
  const merges = [...messages.values()].map((pairs) => ({
    at: pairs[0]?.saidAt.getTime() ?? 0,
    // What joins is kept afterwards.
    order: 0,
    live() {
      const joined = new Set(pairs.flatMap(({ one, other }) => [personOf(one), personOf(other)]));
      // Of several whom one message joins, the oldest comes first.
      const [oldest, ...younger] = [...joined].sort(byAge) as [Person, ...Person[]];
      const whole = { ...oldest, facts: younger.map(({ facts }) => facts).reduce(filledFacts, oldest.facts) };
      for (const [id, person] of people) if (joined.has(person)) people.set(id, whole);
      return whole;
    },
  }));
  const sayings = members.flatMap(({ id, facts }) =>
    (Object.entries(facts.saidAt ?? {}) as [ToldFact, string][]).map(([fact, at]) => ({
      at: Date.parse(at),
      order: 1,
      live() {
        const whole = personOf(id);
        whole.facts = { ...whole.facts, [fact]: whole.facts[fact] ?? facts[fact] };
        return whole;
      },
    })),
  );
  const history = [...merges, ...sayings].sort((a, b) => a.at - b.at || a.order - b.order);
  for (const { live } of history) kept.push(live().facts);
  return { whole: personOf(members[0]?.id ?? '').facts, kept };
}

/** What was known of somebody before anybody was merged with them. */
function factsAtFirst({ saidAt = {}, ...facts }: Facts): Facts {
  return { ...facts, ...Object.fromEntries(Object.keys(saidAt).map((fact) => [fact, null])) };
}

/** Whoever is one person is found by every name that was said of them. */
function termsOf(people: readonly Facts[], identifiers: readonly Identifier[]): string[] {
  const valuesOf = (wanted: Identifier['kind']) =>
    identifiers.filter(({ kind }) => kind === wanted).map(({ value }) => value);
  const terms = people.flatMap(({ firstName, lastName }) =>
    searchTerms({
      firstName: firstName ?? undefined,
      lastName: lastName ?? undefined,
      emails: valuesOf('email'),
      phones: valuesOf('phone'),
    }),
  );
  return [...new Set(terms)].slice(0, maxTermsOfCustomer);
}
