import {
  findAccountNames,
  findConnection,
  listConnectionIdsOfAccounts,
} from '@tributary/domain/advertising/connections';
import { refuse } from '@tributary/operations';
import { type Channel, nilUuid } from '@tributary/vocabulary';
import type { ReportContext } from './services.ts';

/** Ad account name by connection id. */
export type AccountNames = ReadonlyMap<string, string>;

/** All connections the ad account has ever had: reported data belongs to the account. Undefined when no account is given. */
export async function readAccountFilter(
  connectionId: string | undefined,
  { caller, ledger }: ReportContext,
): Promise<string[] | undefined> {
  if (connectionId === undefined) return undefined;
  return ledger.transaction(
    async (tx) => {
      const found = await findConnection(tx, caller.profileId, connectionId);
      if (!found) return refuse('not_found', 'There is no such connection.');
      return listConnectionIdsOfAccounts(tx, caller.profileId, found.channel as Channel, [found.external_id]);
    },
    { readOnly: true },
  );
}

export function readAccountNames(
  rows: readonly { readonly connection_id: string }[],
  { caller, ledger }: ReportContext,
): Promise<AccountNames> {
  const ids = [...new Set(rows.map(({ connection_id }) => connection_id))].filter((id) => id !== nilUuid);
  if (ids.length === 0) return Promise.resolve(new Map());
  return ledger.transaction((tx) => findAccountNames(tx, caller.profileId, ids), { readOnly: true });
}
