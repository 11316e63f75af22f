import type { Schema, Tx } from '@tributary/postgres';
import type { Channel } from '@tributary/vocabulary';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';

export type ConnectionRow = Selectable<Schema['connections']>;
export type SyncRow = Selectable<Schema['syncs']>;

/** A connection and how far it was read; one whose provider is not read has no sync. */
export interface Connected {
  readonly connection: ConnectionRow;
  readonly sync: SyncRow | undefined;
}

const ofProfile = (tx: Tx, profileId: string) =>
  tx.selectFrom('connections').selectAll().where('profile_id', '=', profileId);

/** A connection of the profile, whatever its state. */
export const findConnection = (tx: Tx, profileId: string, id: string): Promise<ConnectionRow | undefined> =>
  ofProfile(tx, profileId).where('id', '=', id).executeTakeFirst();

/** Locked, so that nobody changes it meanwhile. */
export const lockConnection = (tx: Tx, profileId: string, id: string): Promise<ConnectionRow | undefined> =>
  ofProfile(tx, profileId).where('id', '=', id).forUpdate().executeTakeFirst();

/** The newest connection of a provider that was not disconnected, one that works before one that does not. */
export const findConnected = (tx: Tx, profileId: string, channel: Channel): Promise<ConnectionRow | undefined> =>
  ofProfile(tx, profileId)
    .where('channel', '=', channel)
    .where('status', '<>', 'disconnected')
    .orderBy(sql`status = 'connected'`, 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst();

/** Those of the same outside account; there is at most one that was not disconnected. */
export const lockAccount = (
  tx: Tx,
  profileId: string,
  channel: Channel,
  externalId: string,
): Promise<ConnectionRow | undefined> =>
  ofProfile(tx, profileId)
    .where('channel', '=', channel)
    .where('external_id', '=', externalId)
    .where('status', '<>', 'disconnected')
    .forUpdate()
    .executeTakeFirst();

/** Undefined: a sister profile of the workspace holds the account. It cannot be seen from here, only felt. */
export const insertConnection = (tx: Tx, row: Insertable<Schema['connections']>): Promise<{ id: string } | undefined> =>
  tx
    .insertInto('connections')
    .values(row)
    .onConflict((conflict) =>
      // Written out: a prepared statement that is planned without its parameters would not find the partial index.
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

export interface Asked {
  readonly channel?: Channel | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** In the order in which they were made, a page after the other. */
export async function listConnections(tx: Tx, profileId: string, asked: Asked): Promise<Connected[]> {
  let rows = ofProfile(tx, profileId).orderBy('id').limit(asked.limit);
  if (asked.channel) rows = rows.where('channel', '=', asked.channel);
  if (asked.after) rows = rows.where('id', '>', asked.after);
  return withSyncs(tx, profileId, await rows.execute());
}

/** Those of a provider that were not disconnected, in the order in which they were made. */
export function listStanding(
  tx: Tx,
  profileId: string,
  channel: Channel,
  { after, limit }: Pick<Asked, 'after' | 'limit'>,
): Promise<ConnectionRow[]> {
  const rows = ofProfile(tx, profileId).where('channel', '=', channel).where('status', '<>', 'disconnected');
  return (after ? rows.where('id', '>', after) : rows).orderBy('id').limit(limit).execute();
}

/** A profile has no more than a few; the newest of more. */
const mostAtOnce = 200;

/** Those that were not disconnected, of one provider or of all. */
export function listLive(tx: Tx, profileId: string, channel?: Channel): Promise<ConnectionRow[]> {
  const rows = ofProfile(tx, profileId).where('status', '<>', 'disconnected').orderBy('id', 'desc').limit(mostAtOnce);
  return (channel ? rows.where('channel', '=', channel) : rows).execute();
}

/** Of which providers there is a connection that was not disconnected. */
export async function listLiveChannels(tx: Tx, profileId: string): Promise<string[]> {
  const rows = tx.selectFrom('connections').select('channel').distinct().where('profile_id', '=', profileId);
  return (await rows.where('status', '<>', 'disconnected').execute()).map(({ channel }) => channel);
}

/** All connections there ever were to some accounts of a provider, or to any of them: what was told through each keeps its id. */
export async function listOfAccounts(
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
    .limit(mostAtOnce);
  const found = await (externalIds ? rows.where('external_id', 'in', externalIds) : rows).execute();
  return found.map(({ id }) => id);
}

/** The names of the accounts of some connections, whatever their state. */
export async function findAccountNames(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = tx.selectFrom('connections').select(['id', 'name', 'external_id']).where('profile_id', '=', profileId);
  const found = await rows.where('id', 'in', ids).execute();
  return new Map(found.map(({ id, name, external_id }) => [id, name || external_id]));
}

/** The same with what was read of each. */
export async function withSyncs(
  tx: Tx,
  profileId: string,
  connections: readonly ConnectionRow[],
): Promise<Connected[]> {
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

/** A run as soon as a worker is free; whatever was waited for is waited for no longer. */
export async function wishSync(
  tx: Tx,
  { profile_id, id, channel }: Pick<ConnectionRow, 'profile_id' | 'id' | 'channel'>,
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO syncs AS s (profile_id, connection_id, channel, due_at) VALUES (${profile_id}, ${id}, ${channel}, ${now})
    ON CONFLICT (profile_id, connection_id) DO UPDATE SET due_at = least(s.due_at, excluded.due_at), wishes = s.wishes + 1,
      state = CASE WHEN s.state = 'running' THEN s.state ELSE 'queued' END`.execute(tx);
}

/** Nothing more is read of it, not even by a run that is under way. When it was last read stays. */
export async function stopSync(tx: Tx, profileId: string, connectionId: string): Promise<void> {
  await sql`
    UPDATE syncs SET due_at = 'infinity', state = 'idle', run = run + 1, position = NULL, progress = NULL, failing_since = NULL
    WHERE profile_id = ${profileId} AND connection_id = ${connectionId}`.execute(tx);
}

// ── Whose turn it is to replace credentials ─────────────────────────────────────────────────────────────────────────────────────

/** False while somebody else does. Times are PostgreSQL's, since the clocks of workers differ. */
export async function takeRefresh(tx: Tx, row: ConnectionRow, holder: string, seconds: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE connections SET refresh_holder = ${holder}, refresh_until = now() + make_interval(secs => ${seconds})
    WHERE profile_id = ${row.profile_id} AND id = ${row.id} AND credentials_revision = ${row.credentials_revision}
      AND refresh_until <= now()`.execute(tx);
  return numAffectedRows === 1n;
}

/** False when somebody has replaced them meanwhile: then theirs are newer. */
export async function saveRefreshed(tx: Tx, row: ConnectionRow, credentials: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE connections SET credentials = ${credentials}, credentials_revision = credentials_revision + 1,
      refresh_holder = NULL, refresh_until = '-infinity'
    WHERE profile_id = ${row.profile_id} AND id = ${row.id} AND credentials_revision = ${row.credentials_revision}
      AND credentials IS NOT NULL`.execute(tx);
  return numAffectedRows === 1n;
}

export async function dropRefresh(tx: Tx, row: ConnectionRow, holder: string): Promise<void> {
  await sql`
    UPDATE connections SET refresh_holder = NULL, refresh_until = '-infinity'
    WHERE profile_id = ${row.profile_id} AND id = ${row.id} AND refresh_holder = ${holder}`.execute(tx);
}
