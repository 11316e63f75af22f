import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { Channel } from '@tributary/vocabulary';
import { noSuchConnection } from './read-connection.ts';
import { type ConnectionRow, findConnection, listActive } from './store.ts';

export interface ConnectionRequest {
  /** The `connection_id` of the request. */
  readonly named?: string | undefined;
  /** The connection that reported the record that the request is about. */
  readonly reportedBy?: string | null | undefined;
  /** Without `connection_id` and with several connections: use the newest working one, or refuse. */
  readonly several: 'newest' | 'refuse';
  /** The error code for an invalid `connection_id`: that of a query parameter or of a body field. */
  readonly field: 'invalid_parameter' | 'validation_error';
}

/** The most accounts listed in an error message. */
const maxListed = 20;

/**
 * Chooses the connection for a request: the account that reported the record, else the named one, else the only one.
 * Undefined if that account, or every account of the channels, is disconnected. Connections of other profiles or
 * channels are refused as unknown.
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
  const active = (await listActive(tx, profileId)).filter(isOfChannel);
  // A reconnected account has a new connection.
  const account = chosen ?? reporter;
  if (account) return active.find((one) => isSameAccount(one, account)) ?? chosen;
  if (active.length > 1 && several === 'refuse') return refuseSeveral(active, field);
  return active.find(({ status }) => status === 'connected') ?? active[0];
}

const isSameAccount = (one: ConnectionRow, other: ConnectionRow): boolean =>
  one.channel === other.channel && one.external_id === other.external_id;

const describeAccount = ({ id, name, external_id }: ConnectionRow): string => `${id} (${name || external_id})`;

function refuseSeveral(active: readonly ConnectionRow[], field: ConnectionRequest['field']): never {
  const accounts = active.slice(0, maxListed).map(describeAccount).join(', ');
  return refuse(field, `"connection_id" is required, because several accounts are connected: ${accounts}.`, {
    fields: { field: 'connection_id' },
  });
}
