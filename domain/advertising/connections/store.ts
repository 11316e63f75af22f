import type { Schema, Tx } from '@tributary/postgres';
import type { Channel } from '@tributary/vocabulary';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';

export type ConnectionRow = Selectable<Schema['connections']>;
export type SyncRow = Selectable<Schema['syncs']>;

/** A connection and its sync state; a provider without sync has none. */
export interface ConnectionWithSync {
  readonly connection: ConnectionRow;
  readonly sync: SyncRow | undefined;
}

const selectOfProfile = (tx: Tx, profileId: string) =>
  tx.selectFrom('connections').selectAll().where('profile_id', '=', profileId);

/** Finds a connection of the profile in any status. */
export const findConnection = (tx: Tx, profileId: string, id: string): Promise<ConnectionRow | undefined> =>
  selectOfProfile(tx, profileId).where('id', '=', id).executeTakeFirst();

/** Finds and locks a connection. */
export const lockConnection = (tx: Tx, profileId: string, id: string): Promise<ConnectionRow | undefined> =>
  selectOfProfile(tx, profileId).where('id', '=', id).forUpdate().executeTakeFirst();

/** Finds the newest active connection of a provider, working ones first. */
export const findConnected = (tx: Tx, profileId: string, channel: Channel): Promise<ConnectionRow | undefined> =>
  selectOfProfile(tx, profileId)
    .where('channel', '=', channel)
    .where('status', '<>', 'disconnected')
    .orderBy(sql`status = 'connected'`, 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst();

/** Locks the active connection of an external account; there is at most one. */
export const lockAccount = (
  tx: Tx,
  profileId: string,
  channel: Channel,
  externalId: string,
): Promise<ConnectionRow | undefined> =>
  selectOfProfile(tx, profileId)
    .where('channel', '=', channel)
    .where('external_id', '=', externalId)
    .where('status', '<>', 'disconnected')
    .forUpdate()
    .executeTakeFirst();

/**
 * Inserts a connection. Undefined if another profile of the workspace has the account; its row is not visible here,
 * only the conflict.
 */
export const insertConnection = (tx: Tx, row: Insertable<Schema['connections']>): Promise<{ id: string } | undefined> =>
  tx
    .insertInto('connections')
    .values(row)
    .onConflict((conflict) =>
      // Uses a literal: a prepared statement planned without its parameters would not match the partial index.
      conflict
        .columns(['workspace_id', 'channel', 'external_id'])
        .where('status', '<>', sql.lit('disconnected'))
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst();

export async function updateConnection(
  tx: Tx,
  { profile_id, id }: Pick<ConnectionRow, 'profile_id' | 'id'>,
  changes: Updateable<Schema['connections']>,
): Promise<void> {
  await tx.updateTable('connections').set(changes).where('profile_id', '=', profile_id).where('id', '=', id).execute();
}

export interface ConnectionParams {
  readonly channel?: Channel | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Lists connections in order of creation, in pages. */
export async function listConnections(
  tx: Tx,
  profileId: string,
  params: ConnectionParams,
): Promise<ConnectionWithSync[]> {
  let rows = selectOfProfile(tx, profileId).orderBy('id').limit(params.limit);
  if (params.channel) rows = rows.where('channel', '=', params.channel);
  if (params.after) rows = rows.where('id', '>', params.after);
  return withSyncs(tx, profileId, await rows.execute());
}

/** Lists active connections of a provider in order of creation, in pages. */
export function listActivePage(
  tx: Tx,
  profileId: string,
  channel: Channel,
  { after, limit }: Pick<ConnectionParams, 'after' | 'limit'>,
): Promise<ConnectionRow[]> {
  const rows = selectOfProfile(tx, profileId).where('channel', '=', channel).where('status', '<>', 'disconnected');
  return (after ? rows.where('id', '>', after) : rows).orderBy('id').limit(limit).execute();
}

/** A profile has a few connections; the newest are read if there are more. */
const maxAtOnce = 200;

/** Lists active connections of one provider or of all. */
export function listActive(tx: Tx, profileId: string, channel?: Channel): Promise<ConnectionRow[]> {
  const rows = selectOfProfile(tx, profileId)
    .where('status', '<>', 'disconnected')
    .orderBy('id', 'desc')
    .limit(maxAtOnce);
  return (channel ? rows.where('channel', '=', channel) : rows).execute();
}

/** Lists the providers with an active connection. */
export async function listLiveChannels(tx: Tx, profileId: string): Promise<string[]> {
  const rows = tx.selectFrom('connections').select('channel').distinct().where('profile_id', '=', profileId);
  return (await rows.where('status', '<>', 'disconnected').execute()).map(({ channel }) => channel);
}

/**
 * Lists all connections, including disconnected ones, of some accounts of a provider or of all its accounts. Records
 * keep the id of the connection that reported them.
 */
export async function listConnectionIdsOfAccounts(
  tx: Tx,
  profileId: string,
  channel: Channel,
  externalIds?: readonly string[],
): Promise<string[]> {
  const rows = tx
    .selectFrom('connections')
    .select('id')
    .where('profile_id', '=', profileId)
    .where('channel', '=', channel)
    .orderBy('id', 'desc')
    .limit(maxAtOnce);
  const found = await (externalIds ? rows.where('external_id', 'in', externalIds) : rows).execute();
  return found.map(({ id }) => id);
}

/** Finds the account names of connections in any status. */
export async function findAccountNames(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = tx.selectFrom('connections').select(['id', 'name', 'external_id']).where('profile_id', '=', profileId);
  const found = await rows.where('id', 'in', ids).execute();
  return new Map(found.map(({ id, name, external_id }) => [id, name || external_id]));
}

/** Adds the sync state to connections. */
export async function withSyncs(
  tx: Tx,
  profileId: string,
  connections: readonly ConnectionRow[],
): Promise<ConnectionWithSync[]> {
  if (connections.length === 0) return [];
  const ids = connections.map(({ id }) => id);
  const syncs = await tx
    .selectFrom('syncs')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('connection_id', 'in', ids)
    .execute();
  const byId = new Map(syncs.map((sync) => [sync.connection_id, sync]));
  return connections.map((connection) => ({ connection, sync: byId.get(connection.id) }));
}

/** Requests a sync as soon as a worker is free, overriding any waiting time. */
export async function requestSync(
  tx: Tx,
  { profile_id, id, channel }: Pick<ConnectionRow, 'profile_id' | 'id' | 'channel'>,
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO syncs AS s (profile_id, connection_id, channel, due_at) VALUES (${profile_id}, ${id}, ${channel}, ${now})
    ON CONFLICT (profile_id, connection_id) DO UPDATE SET due_at = least(s.due_at, excluded.due_at), wishes = s.wishes + 1,
      state = CASE WHEN s.state = 'running' THEN s.state ELSE 'queued' END`.execute(tx);
}

/** Stops syncing a connection, including a run in progress. The time of the last sync is kept. */
export async function stopSync(tx: Tx, profileId: string, connectionId: string): Promise<void> {
  await sql`
    UPDATE syncs SET due_at = 'infinity', state = 'idle', run = run + 1, position = NULL, progress = NULL, failing_since = NULL
    WHERE profile_id = ${profileId} AND connection_id = ${connectionId}`.execute(tx);
}

// ── Lease for refreshing credentials ──────────────────────────────────────────────────────────────────────

/**
 * Claims the lease to refresh credentials; false if another process has it. Uses the database clock, because the clocks
 * of workers differ.
 */
export async function claimRefresh(tx: Tx, row: ConnectionRow, holder: string, seconds: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE connections SET refresh_holder = ${holder}, refresh_until = now() + make_interval(secs => ${seconds})
    WHERE profile_id = ${row.profile_id} AND id = ${row.id} AND credentials_revision = ${row.credentials_revision}
      AND refresh_until <= now()`.execute(tx);
  return numAffectedRows === 1n;
}

/** Stores refreshed credentials; false if they were replaced meanwhile, so the stored ones are newer. */
export async function saveRefreshed(tx: Tx, row: ConnectionRow, credentials: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE connections SET credentials = ${credentials}, credentials_revision = credentials_revision + 1,
      refresh_holder = NULL, refresh_until = '-infinity'
    WHERE profile_id = ${row.profile_id} AND id = ${row.id} AND credentials_revision = ${row.credentials_revision}
      AND credentials IS NOT NULL`.execute(tx);
  return numAffectedRows === 1n;
}

export async function releaseRefresh(tx: Tx, row: ConnectionRow, holder: string): Promise<void> {
  await sql`
    UPDATE connections SET refresh_holder = NULL, refresh_until = '-infinity'
    WHERE profile_id = ${row.profile_id} AND id = ${row.id} AND refresh_holder = ${holder}`.execute(tx);
}
