import { type ClickHouse, type ClickHouseSettings, connectEveryNode, raw } from '@tributary/clickhouse';
import type { Supervisor } from '@tributary/engines';
import { atEveryServer, createPostgres, joinShards, type Postgres } from '@tributary/postgres';
import { homeShard } from '@tributary/vocabulary';

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

/** The further servers of the ledger that the environment names, as processes of ours are told of them. */
const furtherServers = () =>
  new Map(
    (process.env.LEDGER_SHARDS ?? '').split(' ').flatMap((one) => (one ? [one.split('=') as [string, string]] : [])),
  );

/** A role's address on every server of the ledger by name, home first. */
export const ledgerUrls = (url: string): Map<string, string> => atEveryServer(url, furtherServers());

/** Whose queues each of so many workers works. Every server of the ledger has at least one. */
export function placesOfWorkers(workers: number): string[] {
  const names = [homeShard, ...furtherServers().keys()];
  return Array.from({ length: Math.max(workers, names.length) }, (_, n) => names[n % names.length] as string);
}

/** The servers of a ledger in turn, to build profiles on all of them. */
export function serverInTurn({ shards }: Postgres, n: number): Postgres {
  const servers = [...shards.values()];
  return servers[n % servers.length] as Postgres;
}

/** The ledger as a role enters it. `here`: whose queues are worked. */
export function openLedger(url: string, poolSize: number, here: string = homeShard): Postgres {
  const urls = ledgerUrls(url);
  const isShard = urls.size > 1;
  const shards = [...urls].map(([name, at]) => [name, createPostgres({ url: at, poolSize, isShard })] as const);
  return joinShards(new Map(shards), here);
}

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
