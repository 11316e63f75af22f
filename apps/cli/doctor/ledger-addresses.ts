import type { Settings } from '@tributary/config';
import { atServer } from '@tributary/postgres';

/** A role's address on every server of the ledger, each with what tells it from the home shard in a finding. */
export const ledgerAddresses = ({ ledgerShards }: Settings, url: string): [suffix: string, url: string][] => [
  ['', url],
  ...[...ledgerShards].map(([name, server]): [string, string] => [` (${name})`, atServer(url, server)]),
];
