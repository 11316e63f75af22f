import { type ConnectionRow, listActive } from '@tributary/domain/advertising/connections';
import { refuse } from '@tributary/operations';
import type { Provider } from '@tributary/providers';
import { adIdTags } from '@tributary/rules';
import { type Channel, channelNames } from '@tributary/vocabulary';
import type { AdContext } from './services.ts';
import { missingPermissions, refuseUnlessGranted } from './target.ts';

interface TaggingAccount {
  readonly connection: ConnectionRow;
  readonly provider: Provider;
}

/** Connected accounts whose ads accept URL parameters, the best first: writable and working. Each ad is changed through its own account. */
async function listAccounts({ ledger, caller, providers }: AdContext): Promise<TaggingAccount[]> {
  const channels = adIdTags.flatMap(({ platform }) =>
    channelNames.filter((name): name is Channel => name === platform),
  );
  const taggable = channels.flatMap((channel) => {
    const provider = providers.of(channel);
    return provider?.act?.setUrlTags ? [{ channel, provider }] : [];
  });
  const live = await ledger.transaction(
    async (tx) => {
      const found: TaggingAccount[] = [];
      for (const { channel, provider } of taggable)
        for (const connection of await listActive(tx, caller.profileId, channel)) found.push({ connection, provider });
      return found;
    },
    { readOnly: true },
  );
  const rank = (one: TaggingAccount) =>
    missingPermissions(one).length > 0 ? 2 : one.connection.status === 'connected' ? 0 : 1;
  return live.toSorted((a, b) => rank(a) - rank(b));
}

export async function refuseUnlessReady(context: AdContext): Promise<void> {
  const [best] = await listAccounts(context);
  if (!best) refuse('meta_connection_required', 'No ad account is connected whose ads take URL parameters from us.');
  refuseUnlessGranted(best);
}

/** The error code that applying tags would return; null if it is possible. */
export async function whyNotReady(context: AdContext): Promise<string | null> {
  const [best] = await listAccounts(context);
  if (!best) return 'meta_connection_required';
  if (missingPermissions(best).length > 0) return 'meta_write_permission_missing';
  return best.connection.status === 'connected' ? null : 'connection_not_ready';
}
