import { openCustomers } from '@tributary/domain/commerce/customers';
import { eraseCustomer } from '@tributary/domain/privacy/erasures/module.ts';
import type { Postgres } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import { buildProfile, testTombstones, testVault } from '@tributary/testkit';
import { sql } from 'kysely';
import { inTurn } from './in-turn.ts';

/** The number of customers with separate keys who share an email and a phone. */
const sizes = { family: 4, office: 8, clinic: 20, school: 30 } as const;

interface Sharing {
  readonly groups: number;
  readonly seed: number;
  readonly writers: number;
  readonly write: (app: Postgres, profileId: string, history: Identifier[][], index: number) => Promise<void>;
}

/**
 * Groups of keyed customers share an email and a phone. Their records arrive in random order from several writers, some with nothing
 * but the shared identifier. Then one key of each group is erased, and every record of every other key must stay with its key.
 */
export async function eraseAmongShared(
  app: Postgres,
  { groups, seed, writers, write }: Sharing,
  progress: (done: number) => void,
) {
  const random = randomFrom(seed);
  const { id: profileId } = await buildProfile(app);
  const faults: string[] = [];
  let [keys, erasedKeys, beyondKey] = [0, 0, 0];
  const history: Identifier[][] = [];
  for (let group = 0; group < groups; group += 1) {
    const size = Object.values(sizes)[group % 4] as number;
    const messages = groupMessages(group, size, random);
    keys += size;
    const first = history.length;
    history.push(...messages);
    const indexes = messages.map((_, index) => first + index);
    await inTurn(shuffled(indexes, random), writers, (index) => write(app, profileId, history, index));
    const erased: Identifier = { kind: 'external_customer_id', value: `${group}-${random(size)}` };
    const before = await recordsByKey(app, profileId, group);
    await erase(app, profileId, erased);
    const after = await recordsByKey(app, profileId, group);
    erasedKeys += 1;
    for (const [key, records] of before)
      if (key !== erased.value && records !== after.get(key)) {
        beyondKey += 1;
        faults.push(`erasing ${erased.value} changed ${key}`);
      }
    if (before.size !== size) faults.push(`${size} keys of a group became ${before.size}`);
    if (after.has(erased.value)) faults.push(`${erased.value} is still there`);
    progress(group + 1);
  }
  return { keys, erasedKeys, beyondKey, faults };
}

function groupMessages(group: number, size: number, random: (below: number) => number): Identifier[][] {
  const email: Identifier = { kind: 'email', value: `shared-${group}@drill.test` };
  const phone: Identifier = { kind: 'phone', value: `+56${String(900_000_000 + group)}` };
  const shared = () => [[email], [phone], [email, phone], []][random(4)] as Identifier[];
  const keyed = Array.from({ length: size }, (_, number) => {
    const key: Identifier = { kind: 'external_customer_id', value: `${group}-${number}` };
    return Array.from({ length: 1 + random(2) }, () => [key, ...shared()]);
  });
  return [...keyed.flat(), [email], [phone]];
}

/** Reads the records of each key of a group, joined into one text. */
async function recordsByKey(app: Postgres, profileId: string, group: number): Promise<Map<string, string>> {
  const { rows } = await app.forProfile(profileId).transaction((tx) =>
    sql<{ key: string; records: string }>`
      SELECT i.value AS key, coalesce(string_agg(o.idempotency_key, ' ' ORDER BY o.idempotency_key), '') AS records
      FROM identifiers i LEFT JOIN outcomes o ON o.customer_id = i.customer_id AND o.named_kind = 'external_customer_id'
      WHERE i.kind = 'external_customer_id' AND i.value LIKE ${`${group}-%`} GROUP BY 1`.execute(tx),
  );
  return new Map(rows.map(({ key, records }) => [key, records]));
}

async function erase(app: Postgres, profileId: string, selector: Identifier): Promise<void> {
  await app.forProfile(profileId).transaction(async (tx) => {
    const { customers } = await openCustomers(tx, profileId, [selector], testTombstones);
    const customerId = customers[0]?.id ?? '';
    const requestRef = `drill-${selector.value}`;
    const request = { profileId, customerId, selector, requestRef, reason: 'other', at: new Date() } as const;
    await eraseCustomer(tx, request, { tombstones: testTombstones, vault: testVault });
  });
}

/** A small generator, so that a seed gives the same run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function shuffled<A>(items: readonly A[], random: (below: number) => number): A[] {
  const mixed = [...items];
  for (let index = mixed.length - 1; index > 0; index -= 1) {
    const other = random(index + 1);
    [mixed[index], mixed[other]] = [mixed[other] as A, mixed[index] as A];
  }
  return mixed;
}
