import { CustomerBook, type Evidence, type OpenedCustomers } from '@tributary/domain/commerce/customers';
import { type Identifier, identifierKey, isKeyKind, isStrongKind } from '@tributary/rules';
import { identifierKindNames } from '@tributary/vocabulary';
import fc from 'fast-check';
import { v7 as uuid } from 'uuid';

/** Generates the messages of the identity drill, and computes the expected customer graph in memory with the production code. */

/** The identifiers of one customer, sent with one outcome. The outcome is named after the message's index in the history. */
export type Message = readonly Identifier[];
export type History = readonly Message[];

/** Uses few kinds and values, so that messages share identifiers. The contract allows at most one national id per message. */
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

/** The names of identifiers and outcomes of each customer, one string per customer. */
export type Groups = readonly string[];
export interface CustomerGraph {
  readonly groups: Groups;
  readonly conflicts: readonly string[];
}

export const outcomeName = (index: number) => `outcome:${index}`;

/** Applies a history message by message, each with a new customer book, like a single writer. */
export class MemoryLedger {
  readonly #customers = new Map<string, OpenedCustomers['customers'][number]>();
  readonly #bindings = new Map<string, { identifier: Identifier; customerId: string }>();
  readonly #mergedInto = new Map<string, string>();
  readonly #outcomes = new Map<string, string>();
  readonly #conflicts = new Set<string>();
  /** Descriptions of violated rules. */
  readonly faults: string[] = [];
  merges = 0;

  apply(message: Message, index: number): void {
    const evidence = { source: 'drill', saidAt: new Date(index), requestId: `req_${index}` };
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
    this.#outcomes.set(outcomeName(index), book.survivorOf(customerId));
    this.merges += changes.merges.length;
    this.#checkMerge(message, before, [customerId, ...changes.merges.map(({ loserId }) => loserId)]);
  }

  graph(): CustomerGraph {
    const names = [
      ...[...this.#bindings].map(([name, { customerId }]) => ({ name, customerId })),
      ...[...this.#outcomes].map(([name, customerId]) => ({ name, customerId })),
    ];
    for (const { name, customerId } of names)
      if (!this.#customers.has(customerId) || this.#mergedInto.has(customerId))
        this.faults.push(`${name} belongs to a merged or missing customer`);
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

  /**
   * Checks merges: a customer with strong identifiers may only be merged through one that the message contains. A message without strong identifiers
   * may reach at most one such customer.
   */
  #checkMerge(message: Message, before: ReadonlyMap<string, readonly Identifier[]>, joined: readonly string[]): void {
    const strong = joined.filter((id) => before.get(id)?.some(({ kind }) => isStrongKind(kind)));
    const sent = new Set(message.filter(({ kind }) => isStrongKind(kind)).map(identifierKey));
    if (sent.size === 0 && strong.length < 2) return;
    for (const id of strong)
      if (!before.get(id)?.some((identifier) => sent.has(identifierKey(identifier))))
        this.faults.push('a weak identifier reached a customer with a strong one');
  }
}

/** Groups of a history that is applied as one batch, with a single customer book. */
export function groupsOfBatch(history: History): Groups {
  const evidence: Evidence = { source: 'drill', saidAt: new Date(0), requestId: 'req_0' };
  const book = new CustomerBook({ customers: [], bindings: [], erased: new Map() }, uuid);
  const customerIds = history.map(
    (message) => (book.take({ identifiers: message }, evidence) as { customerId: string }).customerId,
  );
  const names = [
    ...book.changes().links.map((link) => ({ name: identifierKey(link), customerId: link.customerId })),
    ...customerIds.map((customerId, index) => ({ name: outcomeName(index), customerId })),
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

/** Applies a history with a single writer, in the given order of its messages. */
export function replay(history: History, order: readonly number[] = history.map((_, index) => index)): MemoryLedger {
  const ledger = new MemoryLedger();
  for (const index of order) ledger.apply(history[index] as Message, index);
  return ledger;
}

/** Checks invariants of a graph by comparing it with the sent messages, without the production rules. */
export function faultsOf(history: History, groups: Groups): string[] {
  const faults: string[] = [];
  const names = groups.flatMap((group) => group.split(' '));
  const expected = new Set([...history.flat().map(identifierKey), ...history.map((_, index) => outcomeName(index))]);
  if (new Set(names).size !== names.length) faults.push('a name belongs to two customers');
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

/** An outcome that was sent with a key must belong to the customer with that key. */
export function faultsOfKeys(history: History, groups: Groups): string[] {
  const groupOf = new Map(groups.flatMap((group) => group.split(' ').map((name) => [name, group])));
  return history.flatMap((message, index) => {
    const key = message.find(({ kind }) => isKeyKind(kind));
    const isHeld = !key || groupOf.get(outcomeName(index)) === groupOf.get(identifierKey(key));
    return isHeld ? [] : ['an outcome does not belong to the customer with its key'];
  });
}

/**
 * Expected groups of a history without conflicting national ids: strong identifiers of the same message are connected, with the outcomes of these
 * messages. Weak identifiers are left out, because their effect depends on the order of messages.
 */
export function expectedStrongGroups(history: History): Groups {
  const strongParts = history.map((message) => message.filter(({ kind }) => isStrongKind(kind)));
  const parents = parentsOf(strongParts);
  const groups = Map.groupBy(sentNames(strongParts), (name) => root(parents, name));
  return [...groups.values()].map((held) => held.sort().join(' ')).sort();
}

/** Restricts the groups of a graph to strong identifiers and their outcomes, for comparison with `expectedStrongGroups`. */
export function strongGroupsOf(history: History, groups: Groups): Groups {
  const wanted = sentNames(history.map((message) => message.filter(({ kind }) => isStrongKind(kind))));
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

const sentNames = (history: History): Set<string> =>
  new Set([
    ...history.flat().map(identifierKey),
    ...history.flatMap((message, index) => (message.length > 0 ? [outcomeName(index)] : [])),
  ]);

/** Leaves out each message that would give a customer a second national id or a second key. */
function withoutConflicts(history: History): History {
  const accepted: Message[] = [];
  for (const message of history)
    if (
      expectedStrongGroups([...accepted, message]).every((group) =>
        ['national_id:', 'external_customer_id:'].every((kind) => group.split(kind).length <= 2),
      )
    )
      accepted.push(message);
  return accepted;
}

function parentsOf(history: History): Map<string, string> {
  const parents = new Map<string, string>();
  history.forEach((message, index) => {
    for (const identifier of message)
      parents.set(root(parents, identifierKey(identifier)), root(parents, outcomeName(index)));
  });
  return parents;
}

function root(parents: ReadonlyMap<string, string>, name: string): string {
  const parent = parents.get(name) ?? name;
  return parent === name ? name : root(parents, parent);
}
