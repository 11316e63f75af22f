import { identifierKindNames, strongIdentifierKinds } from '@tributary/vocabulary';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identityCases, parseIdentifier } from './identity.cases.ts';
import { decideBrowserIdentity, decideIdentity, type Identifier, IdentityGraph, isKeyKind } from './index.ts';

const isStrong = (kind: Identifier['kind']) => strongIdentifierKinds.some((strong) => strong === kind);
const at = (age: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, age));

/** A graph with the customers of a case, each created a second after the one before. */
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

/** Who holds what, of all identifiers that were ever named. */
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
    const said = says.map(parseIdentifier);
    const settled = graph.settle(said, { id: 'new', createdAt: at(1_000) });
    expect(settled.customerId).toBe(is);
    expect(settled.isNew).toBe(is === 'new');
    expect(settled.conflicts).toEqual(conflicts.map(parseIdentifier));
    expect(settled.claimed).toEqual(claimed.map(parseIdentifier));
    expect(groups(graph, [...Object.values(before).flat().map(parseIdentifier), ...said])).toEqual(after);
    expect(settled.merged).toEqual(Object.keys(before).filter((id) => !(id in after)));
  });

  test.each(['national_id', 'external_customer_id'])('names one %s', (kind) => {
    const two = [`${kind} 1`, `${kind} 2`].map(parseIdentifier);
    expect(() => decideIdentity(two, () => undefined)).toThrow(RangeError);
  });

  test('of two customers created in one moment everybody calls the same one older', () => {
    const holders = ['b', 'a'].map((id) => ({
      id,
      createdAt: at(0),
      nationalId: undefined,
      isStrong: true,
      isKeyed: false,
    }));
    const said = ['email 0', 'crm_contact_id 1'].map(parseIdentifier);
    for (const order of [said, said.toReversed()]) {
      expect(decideIdentity(order, ({ value }) => holders[Number(value)])).toMatchObject({
        customerId: 'a',
        merged: ['b'],
      });
    }
  });
});

describe('the word of a browser', () => {
  const graph = graphOf({ A: ['email a', 'national_id 1'], B: ['phone 1'], C: ['email c', 'phone 3'] });
  const decide = (...says: string[]) =>
    decideBrowserIdentity(says.map(parseIdentifier), (identifier) => graph.holderOf(identifier));

  test('links to the one customer whom its strongest known identifier finds, and gives them nothing', () => {
    expect(decide('phone 1', 'email a', 'external_customer_id x')).toEqual({ customerId: 'A', linked: [] });
    expect(decide('phone 1', 'email new')).toEqual({ customerId: 'B', linked: [] });
  });

  test('does not take a strong identifier for that of whoever shares the phone', () => {
    expect(decide('phone 3')).toEqual({ customerId: 'C', linked: [] });
    expect(decide('phone 3', 'email new')).toEqual({ customerId: undefined, linked: [parseIdentifier('email new')] });
  });

  test('with a key of its own is never linked to a customer with another key', () => {
    const family = graphOf({ M: ['email family', 'external_customer_id mother'] });
    const said = ['external_customer_id son', 'email family'].map(parseIdentifier);
    expect(decideBrowserIdentity(said, (identifier) => family.holderOf(identifier))).toEqual({
      customerId: undefined,
      linked: [parseIdentifier('external_customer_id son')],
    });
  });

  test('gives somebody new the strongest identifier only', () => {
    expect(decide('phone 2', 'email new')).toEqual({
      customerId: undefined,
      linked: [{ kind: 'email', value: 'new' }],
    });
    expect(decide()).toEqual({ customerId: undefined, linked: [] });
  });
});

/** A message names one national id and one key. */
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

function settleAll(said: readonly (readonly Identifier[])[]): IdentityGraph {
  const graph = new IdentityGraph();
  said.forEach((message, age) => {
    graph.settle(message, { id: String(age).padStart(3, '0'), createdAt: at(age) });
  });
  return graph;
}

describe('whatever is said in whatever order', () => {
  test('nobody ever holds two national ids, and every other identifier that was said is held', () => {
    fc.assert(
      fc.property(messages(identifierKindNames), (said) => {
        const held = groups(settleAll(said), said.flat());
        for (const texts of Object.values(held))
          expect(texts.filter((text) => text.startsWith('national_id')).length).toBeLessThanOrEqual(1);
        // The holder of a key keeps the first national id, and a second one may stay without a holder.
        const isOther = (text: string) => !text.startsWith('national_id');
        expect(new Set(Object.values(held).flat().filter(isOther))).toEqual(
          new Set(
            said
              .flat()
              .map(({ kind, value }) => `${kind} ${value}`)
              .filter(isOther),
          ),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('a message finds the same customer when it is said again, and changes nothing', () => {
    fc.assert(
      fc.property(messages(identifierKindNames), (said) => {
        const graph = settleAll(said);
        const last = said.at(-1) ?? [];
        const before = groups(graph, said.flat());
        const again = graph.settle(last, { id: 'again', createdAt: at(1_000) });
        expect(again).toMatchObject({ isNew: false, merged: [], linked: [] });
        expect(groups(graph, said.flat())).toEqual(before);
      }),
      { numRuns: 1_000 },
    );
  });

  test('who is one person follows from the strong identifiers, whatever the order', () => {
    const kinds = identifierKindNames.filter((kind) => !isSingle(kind));
    const shuffled = messages(kinds).chain((said) =>
      fc.tuple(fc.constant(said), fc.shuffledSubarray(said, { minLength: said.length })),
    );
    fc.assert(
      fc.property(shuffled, ([said, other]) => {
        const strong = said.map((message) => message.filter(({ kind }) => isStrong(kind)));
        const people = (order: readonly (readonly Identifier[])[]) =>
          Object.values(groups(settleAll(order), strong.flat()))
            .map((texts) => texts.join())
            .sort();
        expect(people(other)).toEqual(people(said));
        // Weak identifiers change nothing of it.
        expect(people(said)).toEqual(people(strong.filter((message) => message.length > 0)));
      }),
      { numRuns: 1_000 },
    );
  });

  test('a customer has one key, and holds every record of that key, whatever the order', () => {
    const kinds = identifierKindNames.filter((kind) => kind !== 'national_id');
    const shuffled = messages(kinds).chain((said) =>
      fc.tuple(fc.constant(said), fc.shuffledSubarray(said, { minLength: said.length })),
    );
    const keyOf = (message: readonly Identifier[]) => message.find(({ kind }) => isKeyKind(kind));
    fc.assert(
      fc.property(shuffled, ([said, other]) => {
        for (const order of [said, other]) {
          const graph = new IdentityGraph();
          const settled = order.map((message, age) =>
            graph.settle(message, { id: String(age).padStart(3, '0'), createdAt: at(age) }),
          );
          order.forEach((message, place) => {
            const key = keyOf(message);
            if (key) expect(graph.survivorOf(settled[place]?.customerId ?? '')).toBe(graph.holderOf(key)?.id);
          });
          for (const texts of Object.values(groups(graph, said.flat())))
            expect(texts.filter((text) => text.startsWith('external_customer_id')).length).toBeLessThanOrEqual(1);
        }
        // Where no second key is involved, the whole group is the same in every order.
        const strong = said.map((message) => message.filter(({ kind }) => isStrong(kind)));
        const people = (order: readonly (readonly Identifier[])[]) =>
          Object.values(groups(settleAll(order), strong.flat()))
            .map((texts) => texts.join())
            .sort();
        if (new Set(said.flatMap((message) => keyOf(message)?.value ?? [])).size <= 1)
          expect(people(other)).toEqual(people(said));
      }),
      { numRuns: 1_000 },
    );
  });

  test('the oldest of those that became one survives', () => {
    fc.assert(
      fc.property(messages(strongIdentifierKinds), (said) => {
        const graph = new IdentityGraph();
        said.forEach((message, age) => {
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
