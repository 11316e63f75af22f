import { createPostgres, type Postgres } from '@tributary/postgres';
import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import {
  createVault,
  ensureKeys,
  KeyRing,
  loadKeys,
  retireKeys,
  rotateKey,
  type SecretLocation,
  settledAfterMs,
} from '@tributary/vault';
import { describeKeysInUse, rewrapRows } from '@tributary/vault/sealed-rows.ts';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealedColumns } from './sealed-columns.ts';

const master = createVault([{ id: 'm1', bytes: Buffer.alloc(32, 1) }]);
let kit: Testkit;
let owner: Postgres;
let ring: KeyRing;
beforeAll(async () => {
  kit = await openTestkit();
  owner = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
  await ensureKeys(owner.unbound, master, kit.clock.now());
  ring = new KeyRing(
    master,
    () => loadKeys(kit.app.unbound),
    () => kit.clock.now(),
  );
  await ring.refresh();
});
afterAll(async () => {
  await owner.close();
  await kit.close();
});

/** Columns of bytes that are not secret: hashes, and the public half of a key. The key ring itself is sealed under the master key. */
const noSecret = /(^|_)hash$|^fingerprint$|^public_key$/;
/** Pictures of ads, which platforms show publicly. */
const isPublic = (name: string) => name === 'creative_pictures.content';

test('every bytea column that is not a hash is in the list of sealed columns', async () => {
  const { rows } = await owner.unbound.query(sql<{ table: string; column: string }>`
    SELECT c.table_name AS "table", c.column_name AS "column" FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND c.data_type = 'bytea' AND t.table_type = 'BASE TABLE'`);
  const secret = rows
    .filter(({ column }) => !noSecret.test(column))
    .map(({ table, column }) => `${table}.${column}`)
    .filter((name) => !isPublic(name));
  const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(secret.sort()).toEqual([...listed, 'key_ring.sealed'].sort());
});

const texts = [
  'bad row',
  'receipt',
  'summary',
  'answer',
  'secret of a shop',
  'secrets of a subscription',
  'a way in',
  'a link',
  'a token',
];

/** Writes a row for each column, sealed as its module seals it. */
async function fill(profileId: string): Promise<(string | Buffer)[]> {
  const rows = [uuid(), uuid(), uuid(), Buffer.alloc(32, 7), uuid(), uuid(), uuid(), uuid(), uuid()];
  const [bad, receipt, summary, answer, secret, webhook, credentials, capability, parked] = sealedColumns.map(
    ({ place }, index) => ring.envelope().seal(texts[index] as string, place(profileId, rows[index] as string)),
  );
  await kit.app.forProfile(profileId).transaction(async (tx) => {
    await sql`INSERT INTO bad_visits (profile_id, id, reason, sealed, received_at) VALUES (${profileId}, ${rows[0]}, 'x', ${bad}, now())`.execute(
      tx,
    );
    await sql`INSERT INTO erasures (profile_id, id, request_ref, status, reason, customer_key, requested_at, cleared)
      VALUES (${profileId}, ${rows[1]}, 'r', 'queued', 'other', ${receipt}, now(), '{}')`.execute(tx);
    await sql`INSERT INTO journey_summaries VALUES (${profileId}, ${rows[2]}, ${summary}, 'm', now(), 1, false)`.execute(
      tx,
    );
    await sql`INSERT INTO tracking_keys (profile_id, id, key, created_at, identify_secret)
      VALUES (${profileId}, ${rows[4]}, ${`trk_${rows[4]}`}, now(), ${secret})`.execute(tx);
    await sql`INSERT INTO webhook_subscriptions (profile_id, id, url, events, providers, secrets, position, created_at, updated_at)
      VALUES (${profileId}, ${rows[5]}, 'https://hooks.test/', '{}', '{}', ${webhook}, 0, now(), now())`.execute(tx);
    await sql`INSERT INTO connections (profile_id, id, workspace_id, channel, status, external_id, name, credentials, connected_at)
      SELECT ${profileId}, ${rows[6]}, workspace_id, 'social_ads', 'connected', ${rows[6]}, 'shop', ${credentials}, now()
      FROM profiles WHERE id = ${profileId}`.execute(tx);
    await sql`INSERT INTO handoffs (profile_id, id, provider, capability_hash, capability, created_at, expires_at)
      VALUES (${profileId}, ${rows[7]}, 'crm_a', '\\x00', ${capability}, now(), now())`.execute(tx);
    await sql`INSERT INTO pending_selections (profile_id, id, provider, parked, parked_until, candidate_count, created_at, expires_at)
      VALUES (${profileId}, ${rows[8]}, 'crm_a', ${parked}, now(), 2, now(), now())`.execute(tx);
    await sql`INSERT INTO idempotent_answers VALUES (${profileId}, ${rows[3]}, '\\x00', 200, ${answer}, now())`.execute(
      tx,
    );
  });
  return rows;
}

const opened = async (profileId: string, rows: readonly (string | Buffer)[]) => {
  const found: string[] = [];
  for (const [index, { table, column, key, place }] of sealedColumns.entries()) {
    const { rows: sealed } = await owner.unbound.query(sql<{ sealed: Buffer }>`
      SELECT ${sql.ref(column)} AS sealed FROM ${sql.table(table)} WHERE ${sql.ref(key[1])} = ${rows[index]}
        AND ${sql.ref(key[0])} = ${profileId}`);
    found.push(ring.envelope().open(sealed[0]?.sealed as Buffer, place(profileId, rows[index] as string)));
  }
  return found;
};

test('a key is not retired while rows are sealed under it, and after rewrapping the newest key alone opens them', async () => {
  const profiles = [await buildProfile(kit.app), await buildProfile(kit.app)];
  const rows = new Map<string, (string | Buffer)[]>();
  for (const { id } of profiles) rows.set(id, await fill(id));
  const why = () => owner.unbound.transaction((tx) => describeKeysInUse(tx, sealedColumns, kit.clock.now()));
  kit.clock.advance(1_000);
  await owner.unbound.transaction((tx) => rotateKey(tx, master, 'envelope', kit.clock.now()));
  expect(await why()).toBeUndefined();
  kit.clock.advance(settledAfterMs);
  await ring.refresh();
  const tables =
    'bad_visits 2, erasures 2, journey_summaries 2, idempotent_answers 2, tracking_keys 2, webhook_subscriptions 2, connections 2, handoffs 2, pending_selections 2';
  expect(await why()).toBe(
    `18 rows are encrypted with an older key (${tables}) and would become unreadable. Run "tributary keys rewrap-rows" first.`,
  );
  // Bytes that no key opens do not stop the rewrapping.
  const [first] = profiles;
  await kit.app
    .forProfile(first?.id as string)
    .transaction((tx) =>
      sql`INSERT INTO bad_visits (profile_id, id, reason, sealed, received_at) VALUES (${first?.id}, ${uuid()}, 'x', '\\x01', now())`.execute(
        tx,
      ),
    );
  const lost = createVault([{ id: 'lost', bytes: Buffer.alloc(32, 9) }]);
  const lostId = uuid();
  const underLost = lost.seal('x', sealedColumns[0]?.place(first?.id as string, lostId) as SecretLocation);
  await kit.app
    .forProfile(first?.id as string)
    .transaction((tx) =>
      sql`INSERT INTO bad_visits (profile_id, id, reason, sealed, received_at) VALUES (${first?.id}, ${lostId}, 'x', ${underLost}, now())`.execute(
        tx,
      ),
    );
  const rewrap = () => rewrapRows(owner.unbound, sealedColumns, ring);
  expect(await rewrap()).toEqual({ rewrapped: 18, unreadable: 2 });
  expect(await rewrap()).toEqual({ rewrapped: 0, unreadable: 2 });
  expect(await why()).toContain('2 rows');
  await kit.app
    .forProfile(first?.id as string)
    .transaction((tx) => sql`DELETE FROM bad_visits WHERE octet_length(sealed) = 1 OR id = ${lostId}`.execute(tx));
  expect(await why()).toBeUndefined();
  await owner.unbound.transaction((tx) => retireKeys(tx, 'envelope', kit.clock.now()));
  await ring.refresh();
  expect(ring.keys('envelope')).toHaveLength(1);
  for (const [profileId, theirs] of rows) expect(await opened(profileId, theirs)).toEqual(texts);
});
