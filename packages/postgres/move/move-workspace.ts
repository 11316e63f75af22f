import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isContended } from '../away.ts';
import { connectionTo } from '../servers.ts';
import { Changes } from './changes.ts';
import { copyAgain, copyRows, type Ends } from './copy-rows.ts';
import { findTables, type MovedTable, shapeOf, type Tenants, uuids } from './tables.ts';

export interface Move {
  readonly workspaceId: string;
  /** Addresses of both servers as an administrator, and what they are called. */
  readonly from: { readonly url: string; readonly shard: string };
  readonly to: { readonly url: string; readonly shard: string };
  readonly say?: (line: string) => void;
  /** How many changes of the whole server are read at a time. */
  readonly changesAtOnce?: number;
}

export interface Moved {
  readonly profiles: number;
  readonly rows: number;
  /** How long whoever wrote to the workspace waited, at the last try. */
  readonly pauseMs: number;
}

/** Whoever writes for longer keeps the move waiting; whoever comes after it waits so long at most. */
const lockTimeoutMs = 2_000;
const pauseMs = 500;
const mostTries = 600;
/** What was written since is caught up with until a round is as short as that; */
const shortMs = 300;
/** after so many it goes on with what is left, however long that takes. */
const mostRounds = 200;
const deletedAtOnce = 5_000;

/**
 * Takes a workspace from one server to another while it is served. All rows are copied first, then those that were written meanwhile, again
 * and again; then the workspace stands still for a moment in which the last of them follow, and whoever waited goes on at the other server.
 * Killed at any point and run again it begins anew, or where the target has it already, clears the source.
 */
export async function moveWorkspace(move: Move): Promise<Moved> {
  const ends: Ends = { from: await connect(move.from.url), to: await connect(move.to.url) };
  const notes = await connect(move.from.url);
  try {
    const tenants = await findTenants(ends, move);
    const tables = await findTables(ends.from, tenants);
    const copied = (await isThere(ends.to, tenants))
      ? { rows: 0, pauseMs: 0 }
      : await copyAll({ ends, notes, move, tenants, tables });
    await forget(ends.from, tenants, tables);
    return { profiles: tenants.profileIds.length, ...copied };
  } finally {
    for (const client of [ends.from, ends.to, notes]) await client.end().catch(() => {});
  }
}

interface Moving {
  readonly ends: Ends;
  readonly notes: pg.Client;
  readonly move: Move;
  readonly tenants: Tenants;
  readonly tables: readonly MovedTable[];
}

async function copyAll(moving: Moving): Promise<{ rows: number; pauseMs: number }> {
  const { ends, move, tenants, tables } = moving;
  const { say = () => {} } = move;
  const early = tables.filter(({ isLast }) => !isLast);
  await emptyTarget(ends.to, tables);
  const keys = new Map(early.map(({ name, key }) => [name, key.map((column) => column.name)]));
  const ids = [tenants.workspaceId, ...tenants.profileIds];
  const atOnce = move.changesAtOnce ?? 20_000;
  const changes = await Changes.open(ends.from, tenants.workspaceId, { ids, keys, atOnce });
  try {
    let rows = 0;
    for (const table of early) {
      const copied = await copyRows(ends, table, table.theirs);
      rows += copied;
      if (copied > 0) say(`${table.name}: ${copied} rows`);
    }
    await copyMembers(ends, tenants);
    for (let round = 1; round <= mostRounds; round += 1) {
      const startedAt = performance.now();
      const followed = await follow(ends, early, changes);
      const ms = performance.now() - startedAt;
      say(`written meanwhile: ${followed} rows in ${Math.round(ms)} ms`);
      if (ms < shortMs) break;
    }
    const paused = await settle(moving, changes);
    return { rows: rows + paused.rows, pauseMs: paused.ms };
  } finally {
    await changes.close();
  }
}

/** Every row that was written since; resolves to how many. While more is written a row may take the place of one that was not told of yet. */
async function follow(ends: Ends, tables: readonly MovedTable[], changes: Changes): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      const rows = await copyTold(ends, tables, changes);
      changes.followed();
      return rows;
    } catch (error) {
      if ((error as { code?: string }).code !== uniqueViolation || tries === mostFollows) throw error;
    }
  }
}

const uniqueViolation = '23505';
const mostFollows = 20;

async function copyTold(ends: Ends, tables: readonly MovedTable[], changes: Changes): Promise<number> {
  const told = await changes.told();
  let rows = 0;
  for (const table of tables) {
    const keys = told.get(table.name) ?? [];
    if (keys.length > 0) await copyAgain(ends, table, keys);
    rows += keys.length;
  }
  return rows;
}

/**
 * The moment. Whoever has begun a transaction for the workspace ends it first; whoever comes waits, and with them for a second or two all
 * who write to these tables, because workers and look-ups open no wall. First the source is closed for good, then the target is opened:
 * killed in between, nobody serves it until the move is run again, and never both.
 */
async function settle(moving: Moving, changes: Changes): Promise<{ rows: number; ms: number }> {
  const { ends, notes, move, tenants, tables } = moving;
  const ids = [tenants.workspaceId, ...tenants.profileIds];
  const early = tables.filter(({ isLast }) => !isLast);
  const last = tables.filter(({ isLast }) => isLast);
  for (let tries = 1; ; tries += 1) {
    const holder = await connect(move.from.url);
    const startedAt = performance.now();
    try {
      await holder.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      // Bytes that are leaving leave under the lock of this server, for which a switch of privacy on the other would not wait.
      await holder.query(`SELECT pg_advisory_xact_lock(privacy_lock(id)) FROM unnest(${uuids(ids)}) AS id`);
      await holder.query(`SELECT pg_advisory_xact_lock(move_lock(id)) FROM unnest(${uuids(ids)}) AS id`);
      await holder.query(`LOCK TABLE ${tables.map(({ name }) => name).join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
      await ends.to.query('BEGIN; SET LOCAL session_replication_role = replica');
      await flush(notes);
      let rows = await copyTold(ends, early, changes);
      for (const name of ['workspaces', 'profiles']) {
        const own = name === 'workspaces' ? [tenants.workspaceId] : tenants.profileIds;
        rows += await copyRows(ends, { name, ...(await shapeOf(ends.from, name)) }, `id = ANY (${uuids(own)})`);
      }
      // From here on as if it were written: what waits is announced to the workers.
      await ends.to.query('SET LOCAL session_replication_role = origin');
      for (const table of last) rows += await copyRows(ends, table, table.theirs);
      await raiseNumbers(ends, tenants);
      await ends.to.query(`DELETE FROM moved_tenants WHERE id = ANY (${uuids(ids)})`);
      await notes.query(
        `INSERT INTO moved_tenants (id, shard) SELECT id, $1 FROM unnest(${uuids(ids)}) AS id ON CONFLICT (id) DO UPDATE SET shard = excluded.shard`,
        [move.to.shard],
      );
      await ends.to.query('COMMIT');
      await removeOwnRows(holder, tenants, tables);
      await holder.query('COMMIT');
      return { rows, ms: performance.now() - startedAt };
    } catch (error) {
      await ends.to.query('ROLLBACK').catch(() => {});
      if (!isContended(error) || tries === mostTries) throw error;
    } finally {
      await holder.end();
    }
    await sleep(pauseMs);
    await follow(ends, early, changes);
  }
}

/** What was committed without waiting for the disk is told of when something that waited is there behind it. */
async function flush(notes: pg.Client): Promise<void> {
  await notes.query(
    `BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_logical_emit_message(true, 'tributary', 'move'); COMMIT`,
  );
}

/** Numbers that a profile was given here must be behind those that it will be given there. */
async function raiseNumbers({ from, to }: Ends, { profileIds }: Tenants): Promise<void> {
  const { rows } = await from.query<{ revision: string; event: string; number: string }>(`
    SELECT (SELECT last_value FROM dirty_revision) AS revision, (SELECT last FROM event_counter) AS event,
      (SELECT coalesce(max(number), 0) FROM said_together WHERE profile_id = ANY (${uuids(profileIds)})) AS number`);
  const [{ revision, event, number } = { revision: '0', event: '0', number: '0' }] = rows;
  await to.query(`SELECT setval('dirty_revision', greatest(nextval('dirty_revision'), $1::bigint))`, [revision]);
  await to.query('UPDATE event_counter SET last = greatest(last, $1::bigint)', [event]);
  await to.query(
    `SELECT setval('said_together_number_seq', greatest(nextval('said_together_number_seq'), $1::bigint))`,
    [number],
  );
}

/** Without its own rows nothing of it answers here any more, no key and no link; and nobody takes up what waited. */
async function removeOwnRows(client: pg.Client, tenants: Tenants, tables: readonly MovedTable[]): Promise<void> {
  await client.query('SET LOCAL session_replication_role = replica');
  for (const { name, theirs } of tables.filter(({ isLast }) => isLast))
    await client.query(`DELETE FROM ${name} WHERE ${theirs}`);
  await client.query(`DELETE FROM profiles WHERE id = ANY (${uuids(tenants.profileIds)})`);
  await client.query(`DELETE FROM workspaces WHERE id = '${tenants.workspaceId}'`);
}

/** The rest goes in its own time: nobody can reach it. */
async function forget(client: pg.Client, tenants: Tenants, tables: readonly MovedTable[]): Promise<void> {
  await client.query('BEGIN');
  await removeOwnRows(client, tenants, tables);
  await client.query('COMMIT');
  await client.query('SET session_replication_role = replica');
  await client.query('SET synchronous_commit = off');
  for (const { name, theirs } of tables) {
    for (let gone = deletedAtOnce; gone === deletedAtOnce; ) {
      const { rowCount } = await client.query(
        `DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${name} WHERE ${theirs} LIMIT ${deletedAtOnce}))`,
      );
      gone = rowCount ?? 0;
    }
  }
  await client.query('RESET session_replication_role; RESET synchronous_commit');
}

/** What an earlier try left there. */
async function emptyTarget(client: pg.Client, tables: readonly MovedTable[]): Promise<void> {
  await client.query('SET session_replication_role = replica');
  for (const { name, theirs } of tables) await client.query(`DELETE FROM ${name} WHERE ${theirs}`);
}

/** Members are told by name and address where the workspace is. */
async function copyMembers(ends: Ends, { workspaceId }: Tenants): Promise<void> {
  const columns = ['id', 'name', 'email', 'email_verified', 'created_at', 'updated_at'];
  await ends.to.query('CREATE TEMPORARY TABLE arriving (LIKE users INCLUDING DEFAULTS)');
  const theirs = `id IN (SELECT user_id FROM members WHERE workspace_id = '${workspaceId}'
    UNION SELECT invited_by FROM invitations WHERE workspace_id = '${workspaceId}'
    UNION SELECT accepted_by FROM invitations WHERE workspace_id = '${workspaceId}')`;
  await copyRows(ends, { name: 'users', columns }, theirs, 'arriving');
  await ends.to.query('INSERT INTO users SELECT * FROM arriving ON CONFLICT DO NOTHING; DROP TABLE arriving');
}

async function findTenants({ from, to }: Ends, { workspaceId, from: source, to: target }: Move): Promise<Tenants> {
  const { rows: settings } = await from.query(`SHOW wal_level`);
  if (settings[0].wal_level !== 'logical')
    throw new Error(
      `A move follows what is written meanwhile, for which "${source.shard}" needs wal_level = logical: ALTER SYSTEM SET wal_level = logical, and start it again.`,
    );
  const migrations = async (client: pg.Client) =>
    (await client.query('SELECT name FROM kysely_migration ORDER BY name')).rows.map(({ name }) => name).join();
  if ((await migrations(from)) !== (await migrations(to)))
    throw new Error(`"${source.shard}" and "${target.shard}" have different schemas. Run "tributary migrate".`);
  const where = [];
  for (const client of [from, to]) {
    const { rows } = await client.query('SELECT 1 FROM workspaces WHERE id = $1', [workspaceId]);
    if (rows.length > 0) where.push(client);
  }
  if (where.length === 0) throw new Error(`There is no workspace ${workspaceId} on "${source.shard}".`);
  const { rows: marks } = await from.query('SELECT 1 FROM moved_tenants WHERE id = $1', [workspaceId]);
  if (where.length === 2 && marks.length === 0)
    throw new Error(
      `"${source.shard}" and "${target.shard}" both have the workspace. Which of them is true, nobody can tell here.`,
    );
  const { rows: profiles } = await (where[0] as pg.Client).query<{ id: string }>(
    'SELECT id FROM profiles WHERE workspace_id = $1 ORDER BY id',
    [workspaceId],
  );
  const { rows: going } = await from.query('SELECT 1 FROM tenant_deletions WHERE workspace_id = $1 LIMIT 1', [
    workspaceId,
  ]);
  if (going.length > 0) throw new Error('It, or one of its profiles, is being deleted. It moves when that is done.');
  return { workspaceId, profileIds: profiles.map(({ id }) => id) };
}

async function isThere(client: pg.Client, { workspaceId }: Tenants): Promise<boolean> {
  return (await client.query('SELECT 1 FROM workspaces WHERE id = $1', [workspaceId])).rows.length > 0;
}

/** Of several servers the one that has the workspace, or has closed it in a move to the target that was not ended. */
export async function findMoveOf(
  workspaceId: string,
  to: string,
  others: readonly (readonly [shard: string, url: string])[],
): Promise<Move['from'] | undefined> {
  for (const [shard, url] of others) {
    const client = await connect(url);
    try {
      const { rows } = await client.query(
        'SELECT FROM workspaces WHERE id = $1 UNION ALL SELECT FROM moved_tenants WHERE id = $1 AND shard = $2',
        [workspaceId, to],
      );
      if (rows.length > 0) return { shard, url };
    } finally {
      await client.end();
    }
  }
  return undefined;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionTo(url), connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  return client;
}
