import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildProfile, openKit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createPostgres, type Tx } from './index.ts';

const kit = await openKit();
const app = createPostgres({ url: kit.database.appUrl, poolSize: 1 });
const owner = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
const profile = await buildProfile(kit.app);
const ledger = app.forProfile(profile.id);
afterAll(() => Promise.all([app.close(), owner.close()]));

const one = (tx: Tx, value: number) => sql<{ n: number }>`SELECT ${value}::int AS n`.execute(tx);
const rowsOf = async (...queries: ReturnType<typeof one>[]) =>
  (await Promise.all(queries)).map(({ rows }) => rows[0]?.n);

test('sends BEGIN, the tenant scope and independent statements together', async () => {
  const roundTrips = await countRoundTrips(kit.database.appUrl);
  const counted = createPostgres({ url: roundTrips.url, poolSize: 1 });
  try {
    await counted.forProfile(profile.id).transaction((tx) => one(tx, 0));
    const before = roundTrips.count();
    const found = await counted.forProfile(profile.id).transaction((tx) => rowsOf(one(tx, 1), one(tx, 2), one(tx, 3)));
    expect(found).toEqual([1, 2, 3]);
    // One round trip for the statements, one for COMMIT.
    expect(roundTrips.count() - before).toBe(2);
    expect(await counted.forProfile(profile.id).transaction(async () => 'no statement')).toBe('no statement');
    expect(roundTrips.count() - before).toBe(2);
  } finally {
    await counted.close();
    roundTrips.close();
  }
});

test('a statement does not run if its BEGIN failed', async () => {
  await owner.unbound.query(sql`CREATE TABLE scratch_unbegun (n int)`);
  const write = (tx: Tx) => sql`INSERT INTO scratch_unbegun VALUES (${1})`.execute(tx);
  const unwritten = async () => (await owner.unbound.query(sql`SELECT FROM scratch_unbegun`)).rows;
  // The uses without a name, the use that prepares the name, and uses of the name.
  for (let use = 0; use < 5; use += 1) {
    const isolation = 'none at all' as 'repeatable read';
    await expect(owner.unbound.transaction(write, { isolation })).rejects.toThrow('syntax error');
  }
  const several = (tx: Tx) => sql.raw('INSERT INTO scratch_unbegun VALUES (1); SELECT 1').execute(tx);
  const isolation = 'none at all' as 'repeatable read';
  await expect(owner.unbound.transaction(several, { isolation })).rejects.toThrow('syntax error');
  expect(await unwritten()).toEqual([]);
  await owner.unbound.transaction(write);
  await owner.unbound.transaction(several);
  expect(await unwritten()).toHaveLength(2);
});

test('rejects with the first error of statements sent together, and the connection stays usable', async () => {
  const failing = ledger.transaction((tx) =>
    Promise.all([one(tx, 1), sql`SELECT 1 / ${0}::int`.execute(tx), one(tx, 2), sql`SELECT nothing`.execute(tx)]),
  );
  await expect(failing).rejects.toThrow('division by zero');
  // Also when the caller of the failing statement sees the error last.
  const late = async (tx: Tx) => {
    await sql`SELECT 1 / ${0}::int`.execute(tx).catch(async (error) => {
      await sleep(50);
      throw error;
    });
  };
  const passedOn = ledger.transaction((tx) => Promise.all([late(tx), one(tx, 2)]));
  await expect(passedOn).rejects.toThrow('division by zero');
  expect(await ledger.transaction((tx) => rowsOf(one(tx, 4)))).toEqual([4]);
});

test('rejects a transaction that continues after a failed statement', async () => {
  const going = ledger.transaction((tx) => sql`SELECT nothing`.execute(tx).catch(() => {}));
  await expect(going).rejects.toThrow('went on without it');
});

test('rejects statements after the end of their transaction', async () => {
  let ended: Tx | undefined;
  await ledger.transaction(async (tx) => {
    ended = tx;
    return one(tx, 1);
  });
  await expect(one(ended as Tx, 2)).rejects.toThrow('over');
});

test('prepares frequent statements, except those with long arrays', async () => {
  const few = (tx: Tx) => sql`SELECT ${'few'}::text, ${[1, 2]}::int[]`.execute(tx);
  const many = (tx: Tx) => sql`SELECT ${'many'}::text, ${Array.from({ length: 33 }, () => 1)}::int[]`.execute(tx);
  for (let use = 0; use < 5; use += 1)
    await ledger.transaction((tx) => Promise.all([few(tx), many(tx)]), { readOnly: true });
  const { rows } = await app.unbound.query(
    sql<{ prepared: string }>`SELECT statement AS prepared FROM pg_prepared_statements`,
  );
  const texts = rows.map(({ prepared }) => prepared);
  expect(texts).toContain('SELECT $1::text, $2::int[]');
  expect(texts).toHaveLength(new Set(texts).size);
  await app.unbound.query(sql`DEALLOCATE ALL`);
  await ledger.transaction(few);
});

test('a prepared statement keeps working after a migration changes its result columns', async () => {
  await owner.unbound.query(sql`CREATE TABLE scratch_changed (n int)`);
  await owner.unbound.query(sql`INSERT INTO scratch_changed VALUES (1)`);
  const read = sql<object>`SELECT * FROM scratch_changed WHERE n = ${1}`;
  const lookUp = () => owner.unbound.lookUp('SELECT * FROM scratch_changed WHERE n > $1', [0]);
  for (let use = 0; use < 5; use += 1) {
    await owner.unbound.query(read);
    await lookUp();
  }
  await owner.unbound.query(sql`ALTER TABLE scratch_changed ADD COLUMN m int DEFAULT 2`);
  expect(await owner.unbound.transaction((tx) => read.execute(tx))).toMatchObject({ rows: [{ n: 1, m: 2 }] });
  expect(await lookUp()).toEqual([{ n: 1, m: 2 }]);
  await owner.unbound.query(sql`ALTER TABLE scratch_changed DROP COLUMN m`);
  expect((await owner.unbound.query(read)).rows).toEqual([{ n: 1 }]);
});

test('a prepared statement keeps working after a migration replaces a function that it calls', async () => {
  // No test can time the replacement, so the function raises PostgreSQL's error itself, on its first call.
  await owner.unbound.query(sql`CREATE SEQUENCE scratch_calls; GRANT ALL ON SEQUENCE scratch_calls TO PUBLIC`);
  await owner.unbound.query(sql`
    CREATE FUNCTION scratch_replaced() RETURNS int LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('scratch_calls') = 1 THEN
        RAISE EXCEPTION 'cache lookup failed for function 4711' USING ERRCODE = 'XX000';
      END IF;
      RETURN 7;
    END $$`);
  const call = (tx: Tx) => sql<{ n: number }>`SELECT scratch_replaced() AS n`.execute(tx);
  expect(await ledger.transaction((tx) => rowsOf(call(tx)))).toEqual([7]);
});

/** A proxy to PostgreSQL that counts round trips. */
async function countRoundTrips(url: string): Promise<{ url: string; count(): number; close(): void }> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  let roundTrips = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    sockets.push(client, server);
    let awaitsRequest = true;
    client.on('data', (bytes) => {
      if (awaitsRequest) roundTrips += 1;
      awaitsRequest = false;
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      awaitsRequest = true;
      client.write(bytes);
    });
    for (const socket of [client, server])
      socket
        .on('error', () => {})
        .on('close', () => {
          for (const each of sockets) each.destroy();
        });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.host = `127.0.0.1:${(proxy.address() as { port: number }).port}`;
  return { url: through.href, count: () => roundTrips, close: () => proxy.close() };
}
