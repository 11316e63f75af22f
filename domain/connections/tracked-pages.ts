import { refuse } from '@tributary/operations';
import type { Page } from '@tributary/providers';
import { channelNames } from '@tributary/vocabulary';
import { type ConnectionRequest, chooseConnection } from './choose-connection.ts';
import type { ConnectionRow } from './store.ts';
import { type Asking, withAccount } from './with-account.ts';

export interface AskedPages {
  readonly connection: ConnectionRow;
  /** All that the ad account's person may choose from, at this moment. */
  readonly pages: readonly Page[];
}

/** The pages of an ad account of any platform that has pages. */
export async function askPages(asking: Asking, request: ConnectionRequest): Promise<AskedPages> {
  const { ledger, caller, providers } = asking;
  const channels = channelNames.filter((channel) => providers.of(channel)?.pages);
  const connection = await ledger.transaction((tx) => chooseConnection(tx, caller.profileId, channels, request), {
    readOnly: true,
  });
  if (!connection) return refuse('meta_connection_required', 'The profile has no ad account of a platform with pages.');
  const pages = await withAccount(asking, connection.id, async ({ provider, account }, call) =>
    provider.pages?.(account, call),
  );
  if (!pages) return refuse('not_implemented', 'This provider does not tell its pages.');
  return { connection, pages };
}

const trackedOf = ({ tracked_pages }: ConnectionRow): readonly Page[] => tracked_pages as unknown as Page[];

/** One that is tracked is shown even where the provider tells of it no longer. */
export function showPages({ connection, pages }: AskedPages) {
  const tracked = new Map(trackedOf(connection).map((page) => [page.id, page]));
  const all = new Map([...tracked, ...pages.map((page) => [page.id, page] as const)]);
  return {
    connection_id: connection.id,
    pages: [...all.values()].map(({ id, name }) => ({ id, name, is_tracked: tracked.has(id) })),
  };
}
