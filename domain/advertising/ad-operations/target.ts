import { type ActableEntity, findActable } from '@tributary/domain/advertising/campaigns';
import { type ConnectionRow, chooseConnection, findConnection } from '@tributary/domain/advertising/connections';
import { refuse } from '@tributary/operations';
import type { AdActions, Provider } from '@tributary/providers';
import { type Channel, channelNames, type EntityLevel } from '@tributary/vocabulary';
import type { AdContext } from './services.ts';

/** A campaign, ad set or ad of the profile with the connection to its platform. */
export interface Target {
  readonly entity: ActableEntity;
  readonly connection: ConnectionRow;
  readonly provider: Provider;
  readonly act: AdActions<unknown>;
}

export interface TargetRequest {
  readonly level: EntityLevel;
  readonly externalId: string;
  /** The `connection_id` of the request, needed for entities that no connection has reported. */
  readonly connectionId: string | undefined;
}

/** Finds an entity by the platform's id only, with the account that reported it. An entity of another profile is unknown. */
export async function findTarget(
  context: AdContext,
  { level, externalId, connectionId }: TargetRequest,
  field: 'invalid_parameter' | 'validation_error' = 'validation_error',
): Promise<Target> {
  const { ledger, caller, providers } = context;
  const { profileId } = caller;
  const { entity, connection } = await ledger.transaction(
    async (tx) => {
      const named = connectionId === undefined ? undefined : await findConnection(tx, profileId, connectionId);
      const found = await findActable(tx, profileId, level, externalId, named?.channel);
      const entity = found ?? refuseUnknown(level);
      const channels = channelNames.filter((name) => name === entity.platform);
      const request = { named: connectionId, reportedBy: entity.connectionId, several: 'refuse', field } as const;
      return { entity, connection: await chooseConnection(tx, profileId, channels, request) };
    },
    { readOnly: true },
  );
  if (!connection)
    refuse(
      'meta_connection_required',
      entity.connectionId
        ? `The account of ${entity.platform} that reported it is not connected to this profile any more.`
        : `No account of ${entity.platform} is connected to this profile.`,
    );
  const provider = providers.of(connection.channel as Channel);
  if (!provider?.act) refuse('not_implemented', 'Ads of this platform cannot be changed from here.');
  return { entity, connection, provider, act: provider.act };
}

export function refuseUnknown(level: EntityLevel): never {
  if (level === 'campaign') refuse('campaign_not_found', 'There is no such campaign.');
  return refuse('not_found', `There is no such ${level === 'ad' ? 'ad' : 'ad set'}.`);
}

/** Write permissions that were not granted when the account was connected. */
export const missingPermissions = ({
  provider,
  connection,
}: Pick<Target, 'provider' | 'connection'>): readonly string[] =>
  (provider.facts.neededToWrite ?? []).filter((permission) => !connection.granted.includes(permission));

export function refuseUnlessGranted(target: Pick<Target, 'provider' | 'connection'>): void {
  const missing = missingPermissions(target);
  if (missing.length > 0)
    refuse(
      'meta_write_permission_missing',
      `The connection of ${target.provider.facts.name} was given without ${missing.join(', ')}. Nothing was changed.`,
    );
}
