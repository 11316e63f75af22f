import { findAccountNames, findConnection, listOfAccounts } from '@tributary/domain/connections';
import { refuse } from '@tributary/operations';
import { type Channel, nilUuid } from '@tributary/vocabulary';
import type { Reading } from './services.ts';

/** The name of the account of each connection. */
export type AccountNames = ReadonlyMap<string, string>;

/** All connections that the account of a connection ever had: what each reported is the account's. Undefined: no account is named. */
export async function readAccountFilter(
  connectionId: string | undefined,
  { caller, ledger }: Reading,
): Promise<string[] | undefined> {
  if (connectionId === undefined) return undefined;
  return ledger.transaction(
    async (tx) => {
      const found = await findConnection(tx, caller.profileId, connectionId);
      if (!found) return refuse('not_found', 'There is no such connection.');
      return listOfAccounts(tx, caller.profileId, found.channel as Channel, [found.external_id]);
    },
    { readOnly: true },
  );
}

export function readAccountNames(
  rows: readonly { readonly connection_id: string }[],
  { caller, ledger }: Reading,
): Promise<AccountNames> {
  const ids = [...new Set(rows.map(({ connection_id }) => connection_id))].filter((id) => id !== nilUuid);
  if (ids.length === 0) return Promise.resolve(new Map());
  return ledger.transaction((tx) => findAccountNames(tx, caller.profileId, ids), { readOnly: true });
}
