import { deletedWithTenant, profileTables, workspaceTables } from '@tributary/postgres';
import { buildApiKey, buildProfile, openKit, testVault } from '@tributary/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { type DeletionStores, deleteTenantStep } from './delete-tenant-step.ts';
import { insertDeletion, insertDeletions, listDeletionStatus } from './deletion-store.ts';
import { tenantDeletions } from './deletions.queue.ts';
import { archiveProfile, archiveWorkspace } from './store.ts';

const kit = await openKit();
const { signal } = new AbortController();

async function asAdmin<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const { host, pathname, password } = new URL(kit.database.ownerUrl);
  const admin = new pg.Client({ connectionString: `postgres://postgres:${password}@${host}${pathname}` });
  await admin.connect();
  try {
    return (await admin.query<Row>(text, values)).rows;
  } finally {
    await admin.end();
  }
}

/** Tables with a row that contains one of the ids in any column. */
async function rowsThatName(...ids: string[]): Promise<string[]> {
  const tables = await asAdmin<{ tablename: string }>(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely%'",
  );
  const found: string[] = [];
  for (const { tablename } of tables) {
    const like = ids.map((id) => `%${id}%`);
    const rows = await asAdmin(`SELECT 1 FROM "${tablename}" t WHERE t::text LIKE ANY ($1) LIMIT 1`, [like]);
    if (rows.length > 0) found.push(tablename);
  }
  return found.sort();
}

interface Tenant {
  readonly id: string;
  readonly workspaceId: string;
}

/** Creates customers, three of them merged in a chain, with outcomes, and the tombstone of an erased customer. */
async function fill({ id, workspaceId }: Tenant): Promise<void> {
  await buildApiKey(kit.app, id);
  const customers = Array.from({ length: 7 }, () => uuid());
  await kit.app.withScope({ profileId: id, workspaceId }).transaction(async (tx) => {
    await sql`INSERT INTO outbox VALUES (gen_random_uuid(), ${id}, 'recompute.completed', '{}', now())`.execute(tx);
    const place = { table: 'idempotent_answers', column: 'body', row: '00', profileId: id };
    await sql`INSERT INTO idempotent_answers VALUES (${id}, '\\x00', '\\x00', 200, ${testVault.seal('{}', place)}, now())`.execute(
      tx,
    );
    await sql`
      INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT ${id}, customer, '{}', ARRAY['word', customer::text], now(), now(), now() FROM unnest(${customers}::uuid[]) customer`.execute(
      tx,
    );
    for (const place of [0, 1])
      await sql`UPDATE customers SET merged_into = ${customers[place]} WHERE profile_id = ${id} AND id = ${customers[place + 1]}`.execute(
        tx,
      );
    await sql`
      INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at)
      SELECT ${id}, 'email', customer || '@example.cl', customer, 'api', now() FROM unnest(${customers.slice(2)}::uuid[]) customer`.execute(
      tx,
    );
    await sql`
      INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
        occurred_at, recorded_at, updated_at, amount, currency, rest)
      SELECT ${id}, gen_random_uuid(), customer, 'e', 'e', 'e', 'e', customer, now(), now(), now(), 1, 'USD', '{}'
      FROM unnest(${customers.slice(2)}::uuid[]) customer`.execute(tx);
    await sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
      VALUES (${id}, ${uuid()}, ${customers[3]}, 'identify', now())`.execute(tx);
    await sql`INSERT INTO erasures (profile_id, id, request_ref, status, reason, requested_at, cleared)
      VALUES (${id}, ${uuid()}, 'r', 'queued', 'other', now(), '{}')`.execute(tx);
    await sql`INSERT INTO tombstones (profile_id, hash, erasure_id, erased_at) VALUES (${id}, '\\x01', ${uuid()}, now())`.execute(
      tx,
    );
    await sql`INSERT INTO bad_visits (profile_id, id, reason, sealed, received_at) VALUES (${id}, ${uuid()}, 'x', '\\x01', now())`.execute(
      tx,
    );
    await sql`INSERT INTO dirty_delivery (profile_id, entity_id, day, revision, shown_revision) VALUES (${id}, ${uuid()}, now(), 1, 0)`.execute(
      tx,
    );
  });
}

const archive = ({ id, workspaceId }: Tenant) =>
  kit.app.forWorkspace(workspaceId).transaction(async (tx) => {
    await archiveProfile(tx, id, kit.clock.now());
    await insertDeletion(tx, id, workspaceId, kit.clock.now());
  });

let log: { end: string; passed: string };
let columns: number[];
let letters: string[];
beforeEach(() => {
  log = { end: '7', passed: '7' };
  columns = [];
  letters = [];
});
const stores = (more: Partial<DeletionStores> = {}): DeletionStores => ({
  app: kit.app,
  system: kit.system,
  log: { end: async () => log.end, consumedThrough: async () => log.passed },
  forgetColumns: async () => columns.shift() ?? 0,
  forgetLetters: async (id) => letters.push(id),
  now: () => kit.clock.now(),
  batchSize: 2,
  ...more,
});
const step = (id: string, more?: Partial<DeletionStores>) => deleteTenantStep(stores(more), id, signal);
const statusOf = async (id: string) =>
  (await kit.app.forProfile(id).transaction((tx) => listDeletionStatus(tx, 10, id)))[0];

describe('deletion of a profile', () => {
  test('removes a profile from every table, its deletion record one day later, and nothing of a sibling profile', async () => {
    const deleted = await buildProfile(kit.app);
    const sibling = await buildProfile(kit.app, { workspaceId: deleted.workspaceId });
    await fill(deleted);
    await fill(sibling);
    const before = await rowsThatName(sibling.id);
    expect(before).toContain('search_terms');
    await archive(deleted);
    expect(await step(deleted.id)).toBe('emptied');
    expect(await rowsThatName(deleted.id)).toEqual(['tenant_deletions']);
    expect(await statusOf(deleted.id)).toMatchObject({ phase: 'looking again', emptied_at: kit.clock.now() });
    expect(await step(deleted.id)).toBe('emptied');
    kit.clock.advance(86_400_000);
    // A late write left rows.
    columns = [3];
    expect(await step(deleted.id)).toBe('again');
    expect(await step(deleted.id)).toBe('done');
    expect(await step(deleted.id)).toBe('done');
    expect(letters).toEqual([deleted.id, deleted.id]);
    expect(await rowsThatName(deleted.id)).toEqual([]);
    expect(await rowsThatName(sibling.id)).toEqual(before);
  });

  test('waits for the visit stream as of the archive, then for ClickHouse, before it deletes customers', async () => {
    const deleted = await buildProfile(kit.app);
    await fill(deleted);
    await archive(deleted);
    log.passed = '6';
    expect(await step(deleted.id)).toBe('again');
    log.end = '100';
    expect(await statusOf(deleted.id)).toMatchObject({ phase: 'waiting' });
    log.passed = '7';
    columns = [5, 0, 2];
    expect(await step(deleted.id)).toBe('again');
    expect(await rowsThatName(deleted.id)).toContain('customers');
    // No rows on the first call, but rows that a batch wrote while the tables were emptied on the second.
    expect(await step(deleted.id)).toBe('again');
    expect(await rowsThatName(deleted.id)).not.toContain('customers');
    expect(await rowsThatName(deleted.id)).toContain('profiles');
    expect(await step(deleted.id)).toBe('emptied');
  });

  test('resumes after an interruption and reports its progress', async () => {
    const deleted = await buildProfile(kit.app);
    await fill(deleted);
    await archive(deleted);
    let left = 12;
    const failing = {
      ...kit.app,
      withScope: (scope: Parameters<typeof kit.app.withScope>[0]) => {
        left -= 1;
        if (left < 0) throw new Error('killed');
        return kit.app.withScope(scope);
      },
    };
    let interruptions = 0;
    for (;;) {
      left = 12 + interruptions;
      const end = await step(deleted.id, { app: failing }).catch((error: Error) => error.message);
      if (end !== 'killed') break;
      interruptions += 1;
    }
    expect(interruptions).toBeGreaterThan(2);
    expect(await rowsThatName(deleted.id)).toEqual(['tenant_deletions']);
    expect(await statusOf(deleted.id)).toMatchObject({ rows_deleted: expect.any(Number) });
  });

  test('leaves a profile that is not archived untouched', async () => {
    const profile = await buildProfile(kit.app);
    await fill(profile);
    expect(await step(profile.id)).toBe('done');
    expect(await rowsThatName(profile.id)).toContain('profiles');
    // The role of the queues cannot read tombstones either.
    const { rows } = await kit.system.unbound.query(sql`SELECT FROM tombstones WHERE profile_id = ${profile.id}`);
    expect(rows).toEqual([]);
  });

  test('excludes a deleted profile from those that accept visits', async () => {
    const [deleted, other] = [await buildProfile(kit.app), await buildProfile(kit.app)];
    await archive(deleted);
    const query = 'SELECT profile_id FROM find_visit_profiles($1)';
    expect(await kit.app.unbound.lookUp(query, [[deleted.id, other.id]])).toEqual([{ profile_id: other.id }]);
  });
});

test('deletes a workspace after all of its profiles', async () => {
  const one = await buildProfile(kit.app);
  const two = await buildProfile(kit.app, { workspaceId: one.workspaceId });
  await fill(one);
  await fill(two);
  await kit.app.forWorkspace(one.workspaceId).transaction(async (tx) => {
    await archiveWorkspace(tx, one.workspaceId, kit.clock.now());
    await insertDeletions(tx, one.workspaceId, kit.clock.now());
  });
  expect(await step(one.id)).toBe('emptied');
  expect(await step(one.workspaceId)).toBe('again');
  expect(await step(two.id)).toBe('emptied');
  expect(await step(one.workspaceId)).toBe('done');
  kit.clock.advance(86_400_000);
  expect([await step(one.id), await step(two.id)]).toEqual(['done', 'done']);
  expect(await rowsThatName(one.id, two.id, one.workspaceId)).toEqual([]);
});

test('the queue returns a deletion until it is emptied and again one day later, but not while it is parked', async () => {
  const deleted = await buildProfile(kit.app);
  await archive(deleted);
  const queue = tenantDeletions(stores());
  const countClaimed = async () => (await queue.load(deleted.id, 1, signal)).items.length;
  const asSystem = (work: (tx: Parameters<typeof queue.unpark>[0]) => Promise<void>) =>
    kit.system.unbound.transaction(work);
  expect(await countClaimed()).toBe(1);
  await asSystem((tx) => queue.park(tx, deleted.id, { id: deleted.id }));
  expect(await countClaimed()).toBe(0);
  await asSystem((tx) => queue.unpark(tx, deleted.id, [deleted.id]));
  const batch = { key: deleted.id, items: [{ id: deleted.id }], isMore: true, signal, renewLease: async () => {} };
  await queue.work(batch);
  expect(await countClaimed()).toBe(0);
  kit.clock.advance(86_400_000);
  expect(await countClaimed()).toBe(1);
  await queue.work(batch);
  expect(await countClaimed()).toBe(0);
  expect(await rowsThatName(deleted.id)).toEqual([]);
});

describe('the list of tenant tables', () => {
  test('contains every table with a profile column or a foreign key to profiles or workspaces', async () => {
    const columns = await asAdmin<{ name: string }>(`
      SELECT c.table_name AS name FROM information_schema.columns c
      JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND c.column_name IN ('profile_id', 'owner_id') AND t.table_type = 'BASE TABLE'`);
    const references = await asAdmin<{ name: string }>(`
      SELECT conrelid::regclass::text AS name FROM pg_constraint
      WHERE contype = 'f' AND confrelid IN ('profiles'::regclass, 'workspaces'::regclass)`);
    const listed = [...profileTables, ...workspaceTables].map(({ table }) => table as string);
    const covered = new Set([...listed, ...deletedWithTenant, 'profiles', 'workspaces', 'tenant_deletions']);
    expect([...columns, ...references].map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
  });

  test('addresses rows by a unique index, with a role that may delete them', async () => {
    for (const { table, owner, key, as } of [...profileTables, ...workspaceTables]) {
      const role = `tributary_${as}`;
      const [may] = await asAdmin<{ may: boolean }>(
        `SELECT has_table_privilege($1, $2, 'DELETE') AND bool_and(has_column_privilege($1, $2, name, 'SELECT')) AS may
        FROM unnest($3::text[]) AS name`,
        [role, table, [owner, ...key]],
      );
      expect(may?.may, table).toBe(true);
      const unique = await asAdmin(
        `SELECT 1 FROM pg_index i WHERE i.indrelid = $1::regclass AND i.indisunique AND (
          SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)) <@ $2::text[]`,
        [table, [owner, ...key]],
      );
      if (table !== 'pii_access_log') expect(unique.length, table).toBeGreaterThan(0);
    }
  });
});
