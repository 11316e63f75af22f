import { type ClickHouse, type ClickHouseSettings, connectEveryNode, raw } from '@tributary/clickhouse';
import type { Supervisor } from '@tributary/engines';
import { atEveryServer, createPostgres, joinShards, type Postgres } from '@tributary/postgres';
import { homeShard } from '@tributary/vocabulary';

/** The address of the ClickHouse of a test or drill. */
export type ClickHouseLocation = Pick<ClickHouseSettings, 'url' | 'cluster'>;

/** Set to any value, tests and drills run on a ClickHouse of two shards; `npm run drill -- NAME --shards` sets it. */
export const isSharded = () => Boolean(process.env.TEST_SHARDS);

/**
 * Set to any value, the ledger of a test is split over two servers: builders put workspaces on the far one and accounts on the home one. A test that
 * writes rows of both kinds by hand into one database then fails.
 */
export const isLedgerSplit = () => Boolean(process.env.TEST_LEDGER_SHARDS);
export const farShard = 'far';

/** The additional servers of the ledger from the environment, in the format that child processes read. */
const furtherServers = () =>
  new Map(
    (process.env.LEDGER_SHARDS ?? '').split(' ').flatMap((one) => (one ? [one.split('=') as [string, string]] : [])),
  );

/** The URL of a role on every server of the ledger by name, home first. */
export const ledgerUrls = (url: string): Map<string, string> => atEveryServer(url, furtherServers());

/** Assigns each of so many workers the server whose queues it processes. Every server of the ledger gets at least one. */
export function placesOfWorkers(workers: number): string[] {
  const names = [homeShard, ...furtherServers().keys()];
  return Array.from({ length: Math.max(workers, names.length) }, (_, n) => names[n % names.length] as string);
}

/** Returns the servers of a ledger round-robin, to build profiles on all of them. */
export function serverInTurn({ shards }: Postgres, n: number): Postgres {
  const servers = [...shards.values()];
  return servers[n % servers.length] as Postgres;
}

/** Opens the ledger with a role's URL. `here` is the server whose queues are processed. */
export function openLedger(url: string, poolSize: number, here: string = homeShard): Postgres {
  const urls = ledgerUrls(url);
  const isShard = urls.size > 1;
  const shards = [...urls].map(([name, at]) => [name, createPostgres({ url: at, poolSize, isShard })] as const);
  return joinShards(new Map(shards), here);
}

/** The server on which the builders create workspaces. */
export const farOf = (postgres: Postgres): Postgres => postgres.shards.get(farShard) ?? postgres;

/** Starts the ClickHouse of two sets as one cluster and puts its settings into the environment, which child processes inherit. */
export async function startShards(first: Supervisor, second: Supervisor): Promise<{ readonly url: string }> {
  await first.joinClickHouse([second]);
  const addresses = await Promise.all([first, second].map((each) => each.start(['clickhouse'])));
  const nodes = addresses.map(({ CLICKHOUSE_URL }) => CLICKHOUSE_URL as string);
  Object.assign(process.env, { CLICKHOUSE_CLUSTER: 'tributary', CLICKHOUSE_NODES: nodes.join(',') });
  return { url: nodes[0] as string };
}

/** The ClickHouse at this URL, as a cluster if the environment names one. */
export function clickhouseAt(url: string): ClickHouseLocation {
  const { CLICKHOUSE_CLUSTER: name, CLICKHOUSE_NODES: nodes = '' } = process.env;
  return { url, ...(name && { cluster: { name, nodes: nodes.split(',') } }) };
}

/** Runs a mutation on every node. Only tables that hold rows accept one, hence `{{local visits}}`. */
export async function mutate({ settings }: ClickHouse, statement: string): Promise<void> {
  for (const node of connectEveryNode(settings)) {
    await node.command(raw(`${statement} SETTINGS mutations_sync = 2`), {});
    await node.close();
  }
}
