import { type ActableEntity, findActable } from '@tributary/domain/campaigns';
import { type ConnectionRow, findConnected } from '@tributary/domain/connections';
import { refuse } from '@tributary/operations';
import type { Act, Provider } from '@tributary/providers';
import { type Channel, channelNames, type EntityLevel } from '@tributary/vocabulary';
import type { AdContext } from './services.ts';

/** A campaign, ad set or ad of the profile, and the way to its platform. */
export interface Target {
  readonly entity: ActableEntity;
  readonly connection: ConnectionRow;
  readonly provider: Provider;
  readonly act: Act<unknown>;
}

/** By the platform's id and no other. Somebody else's is as unknown as one that never was. */
export async function findTarget(context: AdContext, level: EntityLevel, externalId: string): Promise<Target> {
  const { ledger, caller, providers } = context;
  const { entity, connection } = await ledger.transaction(
    async (tx) => {
      const found = (await findActable(tx, caller.profileId, level, externalId)) ?? refuseUnknown(level);
      const channel = channelNames.find((name) => name === found.platform);
      return { entity: found, connection: channel && (await findConnected(tx, caller.profileId, channel)) };
    },
    { readOnly: true },
  );
  if (!connection) refuse('meta_connection_required', `No account of ${entity.platform} is connected to this profile.`);
  const provider = providers.of(connection.channel as Channel);
  if (!provider?.act) refuse('not_implemented', 'Ads of this platform cannot be changed from here.');
  return { entity, connection, provider, act: provider.act };
}

export function refuseUnknown(level: EntityLevel): never {
  if (level === 'campaign') refuse('campaign_not_found', 'There is no such campaign.');
  return refuse('not_found', `There is no such ${level === 'ad' ? 'ad' : 'ad set'}.`);
}

/** Permissions to change ads that were not given when the account was connected. */
export const lacking = ({ provider, connection }: Pick<Target, 'provider' | 'connection'>): readonly string[] =>
  (provider.facts.neededToWrite ?? []).filter((permission) => !connection.granted.includes(permission));

export function refuseUnlessGranted(target: Pick<Target, 'provider' | 'connection'>): void {
  const missing = lacking(target);
  if (missing.length > 0)
    refuse(
      'meta_write_permission_missing',
      `The connection of ${target.provider.facts.name} was given without ${missing.join(', ')}. Nothing was changed.`,
    );
}
