import type { Settings } from '@tributary/config';
import { atEveryServer } from '@tributary/postgres';
import { homeShard } from '@tributary/vocabulary';

/** A role's address on every server of the ledger, each with what tells it from the home shard in a finding. */
export const ledgerAddresses = ({ ledgerShards }: Settings, url: string): [suffix: string, url: string][] =>
  [...atEveryServer(url, ledgerShards)].map(([name, address]) => [name === homeShard ? '' : ` (${name})`, address]);
