import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { Channel } from '@tributary/vocabulary';
import { noSuchConnection } from './read-connection.ts';
import { type ConnectionRow, findConnection, listLive } from './store.ts';

export interface ConnectionRequest {
  /** The `connection_id` of the request. */
  readonly named?: string | undefined;
  /** The connection that reported what the request is about. */
  readonly reportedBy?: string | null | undefined;
  /** What a request gets that names no connection where there are several: the newest one that works, or a refusal. */
  readonly several: 'newest' | 'refuse';
  /** How a refusal of `connection_id` is reported: a query parameter or a field of the body. */
  readonly field: 'invalid_parameter' | 'validation_error';
}

/** A message lists no more accounts than this. */
const maxListed = 20;

/**
 * The connection that a request acts through: the account that reported the record, else the one that the request names, else the
 * only one. Undefined: that account, or any of the channels, is not connected. A connection of another profile or channel is unknown.
 */
export async function chooseConnection(
  tx: Tx,
  profileId: string,
  channels: readonly Channel[],
  { named, reportedBy, several, field }: ConnectionRequest,
): Promise<ConnectionRow | undefined> {
  const isOfChannel = ({ channel }: ConnectionRow) => channels.includes(channel as Channel);
  const chosen = named === undefined ? undefined : ((await findConnection(tx, profileId, named)) ?? noSuchConnection());
  if (chosen && !isOfChannel(chosen)) return noSuchConnection();
  const reporter = reportedBy ? await findConnection(tx, profileId, reportedBy) : undefined;
  if (chosen && reporter && !isSameAccount(chosen, reporter))
    refuse(field, `"connection_id" names another account than ${describeAccount(reporter)}, which reported it.`, {
      fields: { field: 'connection_id' },
    });
  if (chosen && chosen.status !== 'disconnected') return chosen;
  if (reporter && reporter.status !== 'disconnected') return reporter;
  const live = (await listLive(tx, profileId)).filter(isOfChannel);
  // An account that was disconnected and connected again has a new connection.
  const account = chosen ?? reporter;
  if (account) return live.find((one) => isSameAccount(one, account)) ?? chosen;
  if (live.length > 1 && several === 'refuse') return refuseSeveral(live, field);
  return live.find(({ status }) => status === 'connected') ?? live[0];
}

const isSameAccount = (one: ConnectionRow, other: ConnectionRow): boolean =>
  one.channel === other.channel && one.external_id === other.external_id;

const describeAccount = ({ id, name, external_id }: ConnectionRow): string => `${id} (${name || external_id})`;

function refuseSeveral(live: readonly ConnectionRow[], field: ConnectionRequest['field']): never {
  const accounts = live.slice(0, maxListed).map(describeAccount).join(', ');
  return refuse(field, `"connection_id" is required, because several accounts are connected: ${accounts}.`, {
    fields: { field: 'connection_id' },
  });
}
