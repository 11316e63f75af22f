import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionTo } from '../servers.ts';
import { isContended } from '../unavailable.ts';
import { Changes } from './changes.ts';
import { copyRows, recopyRows, type Servers } from './copy-rows.ts';
import { findTables, type MovedTable, shapeOf, type Tenants, uuids } from './tables.ts';

export interface Move {
  readonly workspaceId: string;
  /** Administrator addresses and shard names of both servers. */
  readonly from: { readonly url: string; readonly shard: string };
  readonly to: { readonly url: string; readonly shard: string };
  readonly say?: (line: string) => void;
  /** How many changes of the whole server are read per query. */
  readonly changesAtOnce?: number;
}

export interface Moved {
  readonly profiles: number;
  readonly rows: number;
  /** How long writers of the workspace were blocked, in the try that succeeded. */
  readonly pauseMs: number;
}

/** How long the switch waits for running writers. New writers wait behind it for at most this long. */
const lockTimeoutMs = 2_000;
const pauseMs = 500;
const maxTries = 600;
/** Catching up ends when a round is shorter than this. */
const caughtUpMs = 300;
/** After this many rounds the move continues with the remaining changes, however long they take. */
const maxRounds = 200;
const deletedAtOnce = 5_000;

/**
 * Moves a workspace to another server while it is in use. It copies all rows, then repeatedly the rows written meanwhile. Then it blocks
 * the workspace briefly, copies the last changes, and requests that waited continue on the target. If it is killed, a new run starts over,
 * or only clears the source if the target is already complete.
 */
export async function moveWorkspace(move: Move): Promise<Moved> {
  const servers: Servers = { from: await connect(move.from.url), to: await connect(move.to.url) };
  const notesClient = await connect(move.from.url);
  try {
    const tenants = await findTenants(servers, move);
    const tables = await findTables(servers.from, tenants);
    const copied = (await hasWorkspace(servers.to, tenants))
      ? { rows: 0, pauseMs: 0 }
      : await copyAll({ servers, notesClient, move, tenants, tables });
    await clearSource(servers.from, tenants, tables);
    return { profiles: tenants.profileIds.length, ...copied };
  } finally {
    for (const client of [servers.from, servers.to, notesClient]) await client.end().catch(() => {});
  }
}

interface MoveContext {
  readonly servers: Servers;
  readonly notesClient: pg.Client;
  readonly move: Move;
  readonly tenants: Tenants;
  readonly tables: readonly MovedTable[];
}

async function copyAll(context: MoveContext): Promise<{ rows: number; pauseMs: number }> {
  const { servers, move, tenants, tables } = context;
  const { say = () => {} } = move;
  const copiedEarly = tables.filter(({ isLast }) => !isLast);
  await emptyTarget(servers.to, tables);
  const keys = new Map(copiedEarly.map(({ name, key }) => [name, key.map((column) => column.name)]));
  const ids = [tenants.workspaceId, ...tenants.profileIds];
  const atOnce = move.changesAtOnce ?? 20_000;
  const changes = await Changes.open(servers.from, tenants.workspaceId, { ids, keys, atOnce });
  try {
    let rows = 0;
    for (const table of copiedEarly) {
      const copied = await copyRows(servers, table, table.condition);
      rows += copied;
      if (copied > 0) say(`${table.name}: ${copied} rows`);
    }
    await copyMembers(servers, tenants);
    for (let round = 1; round <= maxRounds; round += 1) {
      const startedAt = performance.now();
      const copied = await catchUp(servers, copiedEarly, changes);
      const ms = performance.now() - startedAt;
      say(`written meanwhile: ${copied} rows in ${Math.round(ms)} ms`);
      if (ms < caughtUpMs) break;
    }
    const paused = await switchServer(context, changes);
    return { rows: rows + paused.rows, pauseMs: paused.ms };
  } finally {
    await changes.close();
  }
}

/**
 * Copies every row that was written since. Resolves to the number of rows. During concurrent writes a row may reuse a unique value of a row
 * whose change was not read yet; then it retries.
 */
async function catchUp(servers: Servers, tables: readonly MovedTable[], changes: Changes): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      const rows = await copyPending(servers, tables, changes);
      changes.acknowledge();
      return rows;
    } catch (error) {
      if ((error as { code?: string }).code !== uniqueViolation || tries === maxCatchUpTries) throw error;
    }
  }
}

const uniqueViolation = '23505';
const maxCatchUpTries = 20;

async function copyPending(servers: Servers, tables: readonly MovedTable[], changes: Changes): Promise<number> {
  const pending = await changes.readPending();
  let rows = 0;
  for (const table of tables) {
    const keys = pending.get(table.name) ?? [];
    if (keys.length > 0) await recopyRows(servers, table, keys);
    rows += keys.length;
  }
  return rows;
}

/**
 * Switches the workspace to the target. It waits for open transactions of the workspace and blocks new ones. For a second or two it blocks
 * all writers of these tables, because workers and look-ups have no tenant scope. It closes the source for good before it opens the target.
 * After a crash in between no server serves the workspace until the move runs again; two servers never do.
 */
async function switchServer(context: MoveContext, changes: Changes): Promise<{ rows: number; ms: number }> {
  const { servers, notesClient, move, tenants, tables } = context;
  const ids = [tenants.workspaceId, ...tenants.profileIds];
  const copiedEarly = tables.filter(({ isLast }) => !isLast);
  const copiedLast = tables.filter(({ isLast }) => isLast);
  for (let tries = 1; ; tries += 1) {
    const holder = await connect(move.from.url);
    const startedAt = performance.now();
    try {
      await holder.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      // Responses with personal data hold this server's privacy lock, which a privacy mode change on the target would not wait for.
      await holder.query(`SELECT pg_advisory_xact_lock(privacy_lock(id)) FROM unnest(${uuids(ids)}) AS id`);
      await holder.query(`SELECT pg_advisory_xact_lock(move_lock(id)) FROM unnest(${uuids(ids)}) AS id`);
      await holder.query(`LOCK TABLE ${tables.map(({ name }) => name).join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
      await servers.to.query('BEGIN; SET LOCAL session_replication_role = replica');
      await flushCommits(notesClient);
      let rows = await copyPending(servers, copiedEarly, changes);
      for (const name of ['workspaces', 'profiles']) {
        const own = name === 'workspaces' ? [tenants.workspaceId] : tenants.profileIds;
        rows += await copyRows(servers, { name, ...(await shapeOf(servers.from, name)) }, `id = ANY (${uuids(own)})`);
      }
      // From here on triggers run as for normal writes, which announces the queued work to the workers.
      await servers.to.query('SET LOCAL session_replication_role = origin');
      for (const table of copiedLast) rows += await copyRows(servers, table, table.condition);
      await advanceSequences(servers, tenants);
      await servers.to.query(`DELETE FROM moved_tenants WHERE id = ANY (${uuids(ids)})`);
      await notesClient.query(
        `INSERT INTO moved_tenants (id, shard) SELECT id, $1 FROM unnest(${uuids(ids)}) AS id ON CONFLICT (id) DO UPDATE SET shard = excluded.shard`,
        [move.to.shard],
      );
      await servers.to.query('COMMIT');
      await removeOwnRows(holder, tenants, tables);
      await holder.query('COMMIT');
      return { rows, ms: performance.now() - startedAt };
    } catch (error) {
      await servers.to.query('ROLLBACK').catch(() => {});
      if (!isContended(error) || tries === maxTries) throw error;
    } finally {
      await holder.end();
    }
    await sleep(pauseMs);
    await catchUp(servers, copiedEarly, changes);
  }
}

/** Asynchronous commits reach the slot only after a later synchronous one. */
async function flushCommits(notesClient: pg.Client): Promise<void> {
  await notesClient.query(
    `BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_logical_emit_message(true, 'tributary', 'move'); COMMIT`,
  );
}

/** Advances the sequences of the target beyond the numbers that the profiles got on the source. */
async function advanceSequences({ from, to }: Servers, { profileIds }: Tenants): Promise<void> {
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

/** Without its own rows the workspace's keys and links stop working on the source, and workers do not start its queued work. */
async function removeOwnRows(client: pg.Client, tenants: Tenants, tables: readonly MovedTable[]): Promise<void> {
  await client.query('SET LOCAL session_replication_role = replica');
  for (const { name, condition } of tables.filter(({ isLast }) => isLast))
    await client.query(`DELETE FROM ${name} WHERE ${condition}`);
  await client.query(`DELETE FROM profiles WHERE id = ANY (${uuids(tenants.profileIds)})`);
  await client.query(`DELETE FROM workspaces WHERE id = '${tenants.workspaceId}'`);
}

/** Deletes the remaining rows in batches: no request can reach them. */
async function clearSource(client: pg.Client, tenants: Tenants, tables: readonly MovedTable[]): Promise<void> {
  await client.query('BEGIN');
  await removeOwnRows(client, tenants, tables);
  await client.query('COMMIT');
  await client.query('SET session_replication_role = replica');
  await client.query('SET synchronous_commit = off');
  for (const { name, condition } of tables) {
    for (let deleted = deletedAtOnce; deleted === deletedAtOnce; ) {
      const { rowCount } = await client.query(
        `DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${name} WHERE ${condition} LIMIT ${deletedAtOnce}))`,
      );
      deleted = rowCount ?? 0;
    }
  }
  await client.query('RESET session_replication_role; RESET synchronous_commit');
}

/** Deletes the rows that an earlier try copied. */
async function emptyTarget(client: pg.Client, tables: readonly MovedTable[]): Promise<void> {
  await client.query('SET session_replication_role = replica');
  for (const { name, condition } of tables) await client.query(`DELETE FROM ${name} WHERE ${condition}`);
}

/** Copies the users that the workspace refers to, so that members are shown by name and address on the target. */
async function copyMembers(servers: Servers, { workspaceId }: Tenants): Promise<void> {
  const columns = ['id', 'name', 'email', 'email_verified', 'created_at', 'updated_at'];
  await servers.to.query('CREATE TEMPORARY TABLE arriving (LIKE users INCLUDING DEFAULTS)');
  const condition = `id IN (SELECT user_id FROM members WHERE workspace_id = '${workspaceId}'
    UNION SELECT invited_by FROM invitations WHERE workspace_id = '${workspaceId}'
    UNION SELECT accepted_by FROM invitations WHERE workspace_id = '${workspaceId}')`;
  await copyRows(servers, { name: 'users', columns }, condition, 'arriving');
  await servers.to.query('INSERT INTO users SELECT * FROM arriving ON CONFLICT DO NOTHING; DROP TABLE arriving');
}

async function findTenants({ from, to }: Servers, { workspaceId, from: source, to: target }: Move): Promise<Tenants> {
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
  const { rows: moves } = await from.query('SELECT 1 FROM moved_tenants WHERE id = $1', [workspaceId]);
  if (where.length === 2 && moves.length === 0)
    throw new Error(
      `"${source.shard}" and "${target.shard}" both have the workspace. Which of them is true, nobody can tell here.`,
    );
  const { rows: profiles } = await (where[0] as pg.Client).query<{ id: string }>(
    'SELECT id FROM profiles WHERE workspace_id = $1 ORDER BY id',
    [workspaceId],
  );
  const { rows: deletions } = await from.query('SELECT 1 FROM tenant_deletions WHERE workspace_id = $1 LIMIT 1', [
    workspaceId,
  ]);
  if (deletions.length > 0)
    throw new Error('It, or one of its profiles, is being deleted. It moves when that is done.');
  return { workspaceId, profileIds: profiles.map(({ id }) => id) };
}

async function hasWorkspace(client: pg.Client, { workspaceId }: Tenants): Promise<boolean> {
  return (await client.query('SELECT 1 FROM workspaces WHERE id = $1', [workspaceId])).rows.length > 0;
}

/** The server that has the workspace, or that closed it in an unfinished move to the target. */
export async function findSourceServer(
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
