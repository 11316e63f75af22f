import { CustomerBook, type Evidence, type OpenedCustomers } from '@tributary/domain/commerce/customers';
import { type Identifier, identifierKey, isKeyKind, isStrongKind } from '@tributary/rules';
import { identifierKindNames } from '@tributary/vocabulary';
import fc from 'fast-check';
import { v7 as uuid } from 'uuid';

/** What the identity drill sends, and the graph that must come of it, kept in memory by the code that keeps it in the ledger. */

/** Each message names identifiers of one person, and each is of one outcome: the place in the history is the outcome's name. */
export type Message = readonly Identifier[];
export type History = readonly Message[];

/** Few kinds and values, so that messages meet. At most one national id in a message, as the contract has it. */
const messagesOf = (kinds: readonly Identifier['kind'][], least: number, most: number): fc.Arbitrary<History> =>
  fc.subarray([...kinds], { minLength: 2, maxLength: 5 }).chain((some) =>
    fc.array(
      fc.uniqueArray(fc.record({ kind: fc.constantFrom(...some), value: fc.constantFrom('1', '2', '3') }), {
        minLength: 1,
        maxLength: 4,
        selector: ({ kind, value }) => (kind === 'national_id' || isKeyKind(kind) ? kind : `${kind} ${value}`),
      }),
      { minLength: least, maxLength: most, size: 'max' },
    ),
  );

export const histories = messagesOf(identifierKindNames, 1, 12);
export const historiesOf = (length: number) => messagesOf(identifierKindNames, length, length);
export const settledHistories = messagesOf(identifierKindNames, 1, 10).map(withoutConflicts);

/** What belongs together: the identifiers and the outcomes of each customer. */
export type Groups = readonly string[];
export interface Kept {
  readonly groups: Groups;
  readonly conflicts: readonly string[];
}

export const outcomeName = (place: number) => `outcome:${place}`;

/** Takes a history message by message, each in a book of its own, as a writer does who sends one at a time. */
export class MemoryLedger {
  readonly #customers = new Map<string, OpenedCustomers['customers'][number]>();
  readonly #bindings = new Map<string, { identifier: Identifier; customerId: string }>();
  readonly #mergedInto = new Map<string, string>();
  readonly #outcomes = new Map<string, string>();
  readonly #conflicts = new Set<string>();
  /** What a rule of the drill found broken, in words. */
  readonly faults: string[] = [];
  merges = 0;

  take(message: Message, place: number): void {
    const evidence = { source: 'drill', saidAt: new Date(place), requestId: `req_${place}` };
    const before = this.#holdings();
    const book = new CustomerBook(this.#open(message), uuid);
    const { customerId } = book.take({ identifiers: message }, evidence) as { customerId: string };
    const changes = book.changes();
    for (const { kind, value, customerId: holder } of changes.links)
      this.#bindings.set(identifierKey({ kind, value }), { identifier: { kind, value }, customerId: holder });
    for (const { loserId, finalId } of changes.merges) {
      for (const [key, bound] of this.#bindings)
        if (bound.customerId === loserId) this.#bindings.set(key, { ...bound, customerId: finalId });
      for (const [outcome, holder] of this.#outcomes) if (holder === loserId) this.#outcomes.set(outcome, finalId);
      this.#mergedInto.set(loserId, finalId);
    }
    for (const customer of changes.customers)
      this.#customers.set(customer.id, {
        ...customer,
        nationalId: undefined,
        isStrong: false,
        isKeyed: false,
        ownKey: null,
      });
    for (const conflict of changes.conflicts) this.#conflicts.add(identifierKey(conflict));
    this.#outcomes.set(outcomeName(place), book.survivorOf(customerId));
    this.merges += changes.merges.length;
    this.#judgeMerge(message, before, [customerId, ...changes.merges.map(({ loserId }) => loserId)]);
  }

  kept(): Kept {
    const names = [
      ...[...this.#bindings].map(([name, { customerId }]) => ({ name, customerId })),
      ...[...this.#outcomes].map(([name, customerId]) => ({ name, customerId })),
    ];
    for (const { name, customerId } of names)
      if (!this.#customers.has(customerId) || this.#mergedInto.has(customerId))
        this.faults.push(`${name} is held by nobody who is left`);
    const groups = Map.groupBy(names, ({ customerId }) => customerId);
    return {
      groups: [...groups.values()]
        .map((held) =>
          held
            .map(({ name }) => name)
            .sort()
            .join(' '),
        )
        .sort(),
      conflicts: [...this.#conflicts].sort(),
    };
  }

  #open(message: Message): OpenedCustomers {
    const bindings = message.flatMap((identifier) => {
      const bound = this.#bindings.get(identifierKey(identifier));
      return bound ? [{ ...identifier, customerId: bound.customerId }] : [];
    });
    const holdings = this.#holdings();
    const customers = [...new Set(bindings.map(({ customerId }) => customerId))].map((id) => {
      const held = holdings.get(id) ?? [];
      return {
        ...(this.#customers.get(id) as OpenedCustomers['customers'][number]),
        nationalId: held.find(({ kind }) => kind === 'national_id')?.value,
        isStrong: held.some(({ kind }) => isStrongKind(kind)),
        isKeyed: held.some(({ kind }) => isKeyKind(kind)),
      };
    });
    return { customers, bindings, erased: new Map() };
  }

  #holdings(): Map<string, Identifier[]> {
    const holdings = new Map<string, Identifier[]>();
    for (const { identifier, customerId } of this.#bindings.values())
      holdings.set(customerId, [...(holdings.get(customerId) ?? []), identifier]);
    return holdings;
  }

  /** Whoever held a strong identifier is found by one that the message names, or the message names none and found nobody else such. */
  #judgeMerge(message: Message, before: ReadonlyMap<string, readonly Identifier[]>, joined: readonly string[]): void {
    const known = joined.filter((id) => before.get(id)?.some(({ kind }) => isStrongKind(kind)));
    const said = new Set(message.filter(({ kind }) => isStrongKind(kind)).map(identifierKey));
    if (said.size === 0 && known.length < 2) return;
    for (const id of known)
      if (!before.get(id)?.some((identifier) => said.has(identifierKey(identifier))))
        this.faults.push('a weak identifier reached somebody who holds a strong one');
  }
}

/** A whole history in one book, as a batch takes it. */
export function groupsOfBatch(history: History): Groups {
  const evidence: Evidence = { source: 'drill', saidAt: new Date(0), requestId: 'req_0' };
  const book = new CustomerBook({ customers: [], bindings: [], erased: new Map() }, uuid);
  const taken = history.map(
    (message) => (book.take({ identifiers: message }, evidence) as { customerId: string }).customerId,
  );
  const names = [
    ...book.changes().links.map((link) => ({ name: identifierKey(link), customerId: link.customerId })),
    ...taken.map((customerId, place) => ({ name: outcomeName(place), customerId })),
  ];
  const groups = Map.groupBy(names, ({ customerId }) => book.survivorOf(customerId));
  return [...groups.values()]
    .map((held) =>
      held
        .map(({ name }) => name)
        .sort()
        .join(' '),
    )
    .sort();
}

/** The one-writer graph of a history, taken in an order of its places. */
export function replay(history: History, order: readonly number[] = history.map((_, place) => place)): MemoryLedger {
  const ledger = new MemoryLedger();
  for (const place of order) ledger.take(history[place] as Message, place);
  return ledger;
}

/** What must hold of any graph, reckoned from what was said and what is kept, without our rules. */
export function faultsOf(history: History, groups: Groups): string[] {
  const faults: string[] = [];
  const names = groups.flatMap((group) => group.split(' '));
  const expected = new Set([...history.flat().map(identifierKey), ...history.map((_, place) => outcomeName(place))]);
  if (new Set(names).size !== names.length) faults.push('something is held by two customers');
  // The holder of a key keeps its first national id; a second one is recorded as a conflict and may have no holder.
  const lost = [...expected.difference(new Set(names))].filter((name) => !name.startsWith('national_id:'));
  if (lost.length > 0 || names.some((name) => !expected.has(name))) faults.push('an identifier or outcome is lost');
  for (const group of groups)
    for (const kind of ['national_id', 'external_customer_id'])
      if (group.split(' ').filter((name) => name.startsWith(`${kind}:`)).length > 1)
        faults.push(`two values of ${kind} are one customer`);
  faults.push(...faultsOfKeys(history, groups));
  return faults;
}

/** A record that names a key is held by the customer with that key, and by no other. */
export function faultsOfKeys(history: History, groups: Groups): string[] {
  const groupOf = new Map(groups.flatMap((group) => group.split(' ').map((name) => [name, group])));
  return history.flatMap((message, place) => {
    const key = message.find(({ kind }) => isKeyKind(kind));
    const isHeld = !key || groupOf.get(outcomeName(place)) === groupOf.get(identifierKey(key));
    return isHeld ? [] : ['a record is not held by the customer with its key'];
  });
}

/**
 * The people of a history in which nobody has two national ids: what was said together of strong identifiers belongs together, and
 * nothing else does, with the outcomes whose messages name one. What weak identifiers add depends on who came first.
 */
export function peopleSaid(history: History): Groups {
  const strongParts = history.map((message) => message.filter(({ kind }) => isStrongKind(kind)));
  const parents = parentsOf(strongParts);
  const groups = Map.groupBy(namesSaid(strongParts), (name) => root(parents, name));
  return [...groups.values()].map((held) => held.sort().join(' ')).sort();
}

/** The same of a graph that was kept. */
export function peopleKept(history: History, groups: Groups): Groups {
  const wanted = namesSaid(history.map((message) => message.filter(({ kind }) => isStrongKind(kind))));
  return groups
    .map((group) =>
      group
        .split(' ')
        .filter((name) => wanted.has(name))
        .join(' '),
    )
    .filter((group) => group !== '')
    .sort();
}

const namesSaid = (history: History): Set<string> =>
  new Set([
    ...history.flat().map(identifierKey),
    ...history.flatMap((message, place) => (message.length > 0 ? [outcomeName(place)] : [])),
  ]);

/** Leaves out each message that would give a customer a second national id or a second key. */
function withoutConflicts(history: History): History {
  const kept: Message[] = [];
  for (const message of history)
    if (
      peopleSaid([...kept, message]).every((group) =>
        ['national_id:', 'external_customer_id:'].every((kind) => group.split(kind).length <= 2),
      )
    )
      kept.push(message);
  return kept;
}

function parentsOf(history: History): Map<string, string> {
  const parents = new Map<string, string>();
  history.forEach((message, place) => {
    for (const identifier of message)
      parents.set(root(parents, identifierKey(identifier)), root(parents, outcomeName(place)));
  });
  return parents;
}

function root(parents: ReadonlyMap<string, string>, name: string): string {
  const parent = parents.get(name) ?? name;
  return parent === name ? name : root(parents, parent);
}
