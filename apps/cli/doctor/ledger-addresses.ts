import type { Settings } from '@tributary/config';
import { atEveryServer } from '@tributary/postgres';
import { homeShard } from '@tributary/vocabulary';

/** A role's URL on every server of the ledger, with the suffix that distinguishes it from the home shard in a finding. */
export const ledgerAddresses = ({ ledgerShards }: Settings, url: string): [suffix: string, url: string][] =>
  [...atEveryServer(url, ledgerShards)].map(([name, address]) => [name === homeShard ? '' : ` (${name})`, address]);
