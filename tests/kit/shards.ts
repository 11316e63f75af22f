import { type ClickHouse, type ClickHouseSettings, connectEveryNode, raw } from '@tributary/clickhouse';
import type { Supervisor } from '@tributary/engines';
import type { Postgres } from '@tributary/postgres';

/** Where the ClickHouse of a test or drill is. */
export type ClickHousePlace = Pick<ClickHouseSettings, 'url' | 'cluster'>;

/** Set to any value, tests and drills run on a ClickHouse of two shards; `npm run drill -- NAME --shards` sets it. */
export const isSharded = () => Boolean(process.env.TEST_SHARDS);

/**
 * Set to any value, the ledger of a test is two servers: workspaces that the builders make are on the far one, accounts at home. A test that
 * writes rows of both kinds by hand into one database fails then.
 */
export const isLedgerSplit = () => Boolean(process.env.TEST_LEDGER_SHARDS);
export const farShard = 'far';

/** Where the builders make workspaces. */
export const farOf = (postgres: Postgres): Postgres => postgres.shards.get(farShard) ?? postgres;

/** Starts the ClickHouse of two sets as one cluster. The settings that name it are put into the environment, which processes of ours inherit. */
export async function startShards(first: Supervisor, second: Supervisor): Promise<{ readonly url: string }> {
  await first.joinClickHouse([second]);
  const addresses = await Promise.all([first, second].map((each) => each.start(['clickhouse'])));
  const nodes = addresses.map(({ CLICKHOUSE_URL }) => CLICKHOUSE_URL as string);
  Object.assign(process.env, { CLICKHOUSE_CLUSTER: 'tributary', CLICKHOUSE_NODES: nodes.join(',') });
  return { url: nodes[0] as string };
}

/** At this address, a cluster if the environment names one. */
export function clickhouseAt(url: string): ClickHousePlace {
  const { CLICKHOUSE_CLUSTER: name, CLICKHOUSE_NODES: nodes = '' } = process.env;
  return { url, ...(name && { cluster: { name, nodes: nodes.split(',') } }) };
}

/** A mutation, which only tables that hold rows take: `{{local visits}}`. */
export async function mutate({ settings }: ClickHouse, statement: string): Promise<void> {
  for (const node of connectEveryNode(settings)) {
    await node.command(raw(`${statement} SETTINGS mutations_sync = 2`), {});
    await node.close();
  }
}
