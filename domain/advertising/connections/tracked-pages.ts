import { refuse } from '@tributary/operations';
import type { Page } from '@tributary/providers';
import { channelNames } from '@tributary/vocabulary';
import { type ConnectionRequest, chooseConnection } from './choose-connection.ts';
import type { ConnectionRow } from './store.ts';
import { type ProviderContext, withAccount } from './with-account.ts';

export interface AccountPages {
  readonly connection: ConnectionRow;
  /** All pages that the ad account's user can select now. */
  readonly pages: readonly Page[];
}

/** Reads the pages of an ad account from any platform that has pages. */
export async function readPages(context: ProviderContext, request: ConnectionRequest): Promise<AccountPages> {
  const { ledger, caller, providers } = context;
  const channels = channelNames.filter((channel) => providers.of(channel)?.pages);
  const connection = await ledger.transaction((tx) => chooseConnection(tx, caller.profileId, channels, request), {
    readOnly: true,
  });
  if (!connection) return refuse('meta_connection_required', 'The profile has no ad account of a platform with pages.');
  const pages = await withAccount(context, connection.id, async ({ provider, account }, call) =>
    provider.pages?.(account, call),
  );
  if (!pages) return refuse('not_implemented', 'This provider does not tell its pages.');
  return { connection, pages };
}

const getTrackedPages = ({ tracked_pages }: ConnectionRow): readonly Page[] => tracked_pages as unknown as Page[];

/** Converts pages to a response. A tracked page is included even if the provider no longer lists it. */
export function toPagesResponse({ connection, pages }: AccountPages) {
  const tracked = new Map(getTrackedPages(connection).map((page) => [page.id, page]));
  const all = new Map([...tracked, ...pages.map((page) => [page.id, page] as const)]);
  return {
    connection_id: connection.id,
    pages: [...all.values()].map(({ id, name }) => ({ id, name, is_tracked: tracked.has(id) })),
  };
}
