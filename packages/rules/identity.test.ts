import { identifierKindNames, strongIdentifierKinds } from '@tributary/vocabulary';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identityCases, parseIdentifier } from './identity.cases.ts';
import { decideBrowserIdentity, decideIdentity, type Identifier, IdentityGraph, isKeyKind } from './index.ts';

const isStrong = (kind: Identifier['kind']) => strongIdentifierKinds.some((strong) => strong === kind);
const at = (age: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, age));

/** A graph with the customers of a case, created one second apart. */
function graphOf(before: Readonly<Record<string, readonly string[]>>): IdentityGraph {
  const customers = Object.entries(before).map(([id, texts], age) => ({
    id,
    identifiers: texts.map(parseIdentifier),
    age,
  }));
  return new IdentityGraph(
    customers.map(({ id, identifiers, age }) => ({
      id,
      createdAt: at(age),
      nationalId: identifiers.find(({ kind }) => kind === 'national_id')?.value,
      isStrong: identifiers.some(({ kind }) => isStrong(kind)),
      isKeyed: identifiers.some(({ kind }) => isKeyKind(kind)),
    })),
    customers.flatMap(({ id, identifiers }) => identifiers.map((identifier) => ({ ...identifier, customerId: id }))),
  );
}

/** The holder of each identifier that was ever named. */
function groups(graph: IdentityGraph, named: readonly Identifier[]): Record<string, string[]> {
  const held: Record<string, Set<string>> = {};
  for (const identifier of named) {
    const id = graph.holderOf(identifier)?.id;
    if (id === undefined) continue;
    held[id] ??= new Set();
    held[id].add(`${identifier.kind} ${identifier.value}`);
  }
  return Object.fromEntries(Object.entries(held).map(([id, texts]) => [id, [...texts].sort()]));
}

describe('a message of a trusted source', () => {
  test.each(identityCases)('$title', ({ before, says, is, after, conflicts = [], claimed = [] }) => {
    const graph = graphOf(before);
    const messagesSent = says.map(parseIdentifier);
    const settled = graph.settle(messagesSent, { id: 'new', createdAt: at(1_000) });
    expect(settled.customerId).toBe(is);
    expect(settled.isNew).toBe(is === 'new');
    expect(settled.conflicts).toEqual(conflicts.map(parseIdentifier));
    expect(settled.claimed).toEqual(claimed.map(parseIdentifier));
    expect(groups(graph, [...Object.values(before).flat().map(parseIdentifier), ...messagesSent])).toEqual(after);
    expect(settled.merged).toEqual(Object.keys(before).filter((id) => !(id in after)));
  });

  test.each(['national_id', 'external_customer_id'])('with two values of %s throws', (kind) => {
    const two = [`${kind} 1`, `${kind} 2`].map(parseIdentifier);
    expect(() => decideIdentity(two, () => undefined)).toThrow(RangeError);
  });

  test('breaks ties of simultaneous creation by id', () => {
    const holders = ['b', 'a'].map((id) => ({
      id,
      createdAt: at(0),
      nationalId: undefined,
      isStrong: true,
      isKeyed: false,
    }));
    const messagesSent = ['email 0', 'crm_contact_id 1'].map(parseIdentifier);
    for (const order of [messagesSent, messagesSent.toReversed()]) {
      expect(decideIdentity(order, ({ value }) => holders[Number(value)])).toMatchObject({
        customerId: 'a',
        merged: ['b'],
      });
    }
  });
});

describe('a message of a browser', () => {
  const graph = graphOf({ A: ['email a', 'national_id 1'], B: ['phone 1'], C: ['email c', 'phone 3'] });
  const decide = (...says: string[]) =>
    decideBrowserIdentity(says.map(parseIdentifier), (identifier) => graph.holderOf(identifier));

  test('links to the customer found by its strongest identifier, and binds nothing', () => {
    expect(decide('phone 1', 'email a', 'external_customer_id x')).toEqual({ customerId: 'A', linked: [] });
    expect(decide('phone 1', 'email new')).toEqual({ customerId: 'B', linked: [] });
  });

  test('does not use a shared phone beside a new strong identifier', () => {
    expect(decide('phone 3')).toEqual({ customerId: 'C', linked: [] });
    expect(decide('phone 3', 'email new')).toEqual({ customerId: undefined, linked: [parseIdentifier('email new')] });
  });

  test('with its own key is never linked to a customer with another key', () => {
    const family = graphOf({ M: ['email family', 'external_customer_id mother'] });
    const messagesSent = ['external_customer_id son', 'email family'].map(parseIdentifier);
    expect(decideBrowserIdentity(messagesSent, (identifier) => family.holderOf(identifier))).toEqual({
      customerId: undefined,
      linked: [parseIdentifier('external_customer_id son')],
    });
  });

  test('binds only the strongest identifier to a new customer', () => {
    expect(decide('phone 2', 'email new')).toEqual({
      customerId: undefined,
      linked: [{ kind: 'email', value: 'new' }],
    });
    expect(decide()).toEqual({ customerId: undefined, linked: [] });
  });
});

/** A message names at most one national id and one key. */
const isSingle = (kind: Identifier['kind']) => kind === 'national_id' || isKeyKind(kind);

/** Few values, so that messages collide. */
const identifiers = (kinds: readonly Identifier['kind'][]): fc.Arbitrary<Identifier> =>
  fc.record({ kind: fc.constantFrom(...kinds), value: fc.constantFrom('1', '2', '3', '4') });
const messages = (kinds: readonly Identifier['kind'][]) =>
  fc.array(
    fc.uniqueArray(identifiers(kinds), {
      minLength: 1,
      maxLength: 4,
      selector: ({ kind, value }) => (isSingle(kind) ? kind : `${kind} ${value}`),
    }),
    { minLength: 1, maxLength: 12 },
  );

function settleAll(messagesSent: readonly (readonly Identifier[])[]): IdentityGraph {
  const graph = new IdentityGraph();
  messagesSent.forEach((message, age) => {
    graph.settle(message, { id: String(age).padStart(3, '0'), createdAt: at(age) });
  });
  return graph;
}

describe('for any messages in any order', () => {
  test('no customer has two national ids, and every other identifier has a holder', () => {
    fc.assert(
      fc.property(messages(identifierKindNames), (messagesSent) => {
        const held = groups(settleAll(messagesSent), messagesSent.flat());
        for (const texts of Object.values(held))
          expect(texts.filter((text) => text.startsWith('national_id')).length).toBeLessThanOrEqual(1);
        // The holder of a key keeps the first national id; a second one may remain without a holder.
        const isOther = (text: string) => !text.startsWith('national_id');
        expect(new Set(Object.values(held).flat().filter(isOther))).toEqual(
          new Set(
            messagesSent
              .flat()
              .map(({ kind, value }) => `${kind} ${value}`)
              .filter(isOther),
          ),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('a repeated message finds the same customer and changes nothing', () => {
    fc.assert(
      fc.property(messages(identifierKindNames), (messagesSent) => {
        const graph = settleAll(messagesSent);
        const last = messagesSent.at(-1) ?? [];
        const before = groups(graph, messagesSent.flat());
        const again = graph.settle(last, { id: 'again', createdAt: at(1_000) });
        expect(again).toMatchObject({ isNew: false, merged: [], linked: [] });
        expect(groups(graph, messagesSent.flat())).toEqual(before);
      }),
      { numRuns: 1_000 },
    );
  });

  test('identity follows from the strong identifiers, in any order', () => {
    const kinds = identifierKindNames.filter((kind) => !isSingle(kind));
    const shuffled = messages(kinds).chain((messagesSent) =>
      fc.tuple(fc.constant(messagesSent), fc.shuffledSubarray(messagesSent, { minLength: messagesSent.length })),
    );
    fc.assert(
      fc.property(shuffled, ([messagesSent, other]) => {
        const strong = messagesSent.map((message) => message.filter(({ kind }) => isStrong(kind)));
        const people = (order: readonly (readonly Identifier[])[]) =>
          Object.values(groups(settleAll(order), strong.flat()))
            .map((texts) => texts.join())
            .sort();
        expect(people(other)).toEqual(people(messagesSent));
        // Weak identifiers do not change it.
        expect(people(messagesSent)).toEqual(people(strong.filter((message) => message.length > 0)));
      }),
      { numRuns: 1_000 },
    );
  });

  test('a customer has one key and holds every record of that key, in any order', () => {
    const kinds = identifierKindNames.filter((kind) => kind !== 'national_id');
    const shuffled = messages(kinds).chain((messagesSent) =>
      fc.tuple(fc.constant(messagesSent), fc.shuffledSubarray(messagesSent, { minLength: messagesSent.length })),
    );
    const keyOf = (message: readonly Identifier[]) => message.find(({ kind }) => isKeyKind(kind));
    fc.assert(
      fc.property(shuffled, ([messagesSent, other]) => {
        for (const order of [messagesSent, other]) {
          const graph = new IdentityGraph();
          const settled = order.map((message, age) =>
            graph.settle(message, { id: String(age).padStart(3, '0'), createdAt: at(age) }),
          );
          order.forEach((message, place) => {
            const key = keyOf(message);
            if (key) expect(graph.survivorOf(settled[place]?.customerId ?? '')).toBe(graph.holderOf(key)?.id);
          });
          for (const texts of Object.values(groups(graph, messagesSent.flat())))
            expect(texts.filter((text) => text.startsWith('external_customer_id')).length).toBeLessThanOrEqual(1);
        }
        // If no second key is involved, the whole group is the same in every order.
        const strong = messagesSent.map((message) => message.filter(({ kind }) => isStrong(kind)));
        const people = (order: readonly (readonly Identifier[])[]) =>
          Object.values(groups(settleAll(order), strong.flat()))
            .map((texts) => texts.join())
            .sort();
        if (new Set(messagesSent.flatMap((message) => keyOf(message)?.value ?? [])).size <= 1)
          expect(people(other)).toEqual(people(messagesSent));
      }),
      { numRuns: 1_000 },
    );
  });

  test('the oldest of merged customers survives', () => {
    fc.assert(
      fc.property(messages(strongIdentifierKinds), (messagesSent) => {
        const graph = new IdentityGraph();
        messagesSent.forEach((message, age) => {
          const { customerId, merged } = graph.settle(message, {
            id: String(age).padStart(3, '0'),
            createdAt: at(age),
          });
          for (const loser of merged) {
            expect(customerId < loser).toBe(true);
            expect(graph.survivorOf(loser)).toBe(customerId);
          }
        });
      }),
      { numRuns: 1_000 },
    );
  });
});
