import { findConnected } from '@tributary/domain/connections';
import { refuse } from '@tributary/operations';
import { adIdTags } from '@tributary/rules';
import { type Channel, channelNames } from '@tributary/vocabulary';
import type { AdContext } from './services.ts';
import { lacking, refuseUnlessGranted } from './target.ts';

/** The connection through which tags are written; the first of a platform that takes some. */
async function findWay({ ledger, caller, providers }: AdContext) {
  for (const { platform } of adIdTags) {
    const channel = channelNames.find((name): name is Channel => name === platform);
    const provider = channel && providers.of(channel);
    if (!channel || !provider?.act?.setUrlTags) continue;
    const connection = await ledger.transaction((tx) => findConnected(tx, caller.profileId, channel), {
      readOnly: true,
    });
    if (connection) return { connection, provider };
  }
  return undefined;
}

export async function refuseUnlessReady(context: AdContext): Promise<void> {
  const way = await findWay(context);
  if (!way) refuse('meta_connection_required', 'No ad account is connected whose ads take URL parameters from us.');
  refuseUnlessGranted(way);
}

/** Why tags cannot be written, as the code that trying would answer; null where they can. */
export async function whyNotReady(context: AdContext): Promise<string | null> {
  const way = await findWay(context);
  if (!way) return 'meta_connection_required';
  if (lacking(way).length > 0) return 'meta_write_permission_missing';
  return way.connection.status === 'connected' ? null : 'connection_not_ready';
}
