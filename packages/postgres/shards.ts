import { setTimeout as sleep } from 'node:timers/promises';
import { homeShard, isUuidInAnyCase } from '@tributary/vocabulary';
import type { RawBuilder } from 'kysely';
import {
  type AllShards,
  everywhereOf,
  type Ledger,
  type Postgres,
  type TenantScope,
  type UnboundLedger,
} from './ledger.ts';
import type { PrivacyLockHandle } from './privacy-locks.ts';
import type { WalkItem } from './walk.ts';

/** Finds a row on whichever shard has it. Resolves to undefined only after all shards have answered. */
export async function findOnAnyShard<T>(everywhere: AllShards, statement: RawBuilder<T>): Promise<T | undefined> {
  const { rows, error } = await everywhere.query(() => statement);
  if (rows[0]) return rows[0];
  if (error !== undefined) throw error;
  return undefined;
}

/** Runs work on many profiles: one call per server, with the items of that server. */
export async function runPerServer<Item extends { readonly profileId: string }, T>(
  postgres: Postgres,
  items: readonly Item[],
  work: (there: UnboundLedger, items: readonly Item[]) => Promise<T>,
): Promise<T[]> {
  if (postgres.shards.size === 1) return [await work(postgres.unbound, items)];
  return retryingMoves(postgres, () => workByServer(postgres, items, work));
}

async function workByServer<Item extends { readonly profileId: string }, T>(
  postgres: Postgres,
  items: readonly Item[],
  work: (there: UnboundLedger, items: readonly Item[]) => Promise<T>,
): Promise<T[]> {
  const located = await Promise.all(
    items.map(async (item) => ({ item, shard: await postgres.shardOf(item.profileId) })),
  );
  const parts = [...Map.groupBy(located, ({ shard }) => shard)];
  return Promise.all(
    parts.map(([shard, ownItems]) =>
      work(
        shard.unbound,
        ownItems.map(({ item }) => item),
      ),
    ),
  );
}

/** Retries on the tenant's new server after a move. Work already done for the other tenants is repeated. */
async function retryingMoves<T>(postgres: Pick<Postgres, 'waitForMove'>, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxMoves || !(await postgres.waitForMove(error))) throw error;
    }
  }
}

const maxMoves = 10;
/** How long to wait for a moved tenant to appear on its new server: a move closes the source a moment before it opens the target. */
const arrivesWithinMs = 10_000;
const lookMs = 20;

/** The cache of tenant locations is cleared when it reaches this size. */
const maxCached = 100_000;

/**
 * Joins several servers into one ledger. A workspace is stored on one server together with its profiles, members, credentials and logs, so
 * no transaction spans two. A tenant scope goes to the server that has the tenant. `here` is the server whose queues this process works on;
 * statements without a tenant scope run there.
 */
export function joinShards(shards: ReadonlyMap<string, Postgres>, here: string = homeShard): Postgres {
  const own = shardNamed(shards, here);
  const home = shardNamed(shards, homeShard);
  if (shards.size === 1) return own;
  const allShards = everywhereOf(shards);
  const locations = new Map<string, string>();

  const shardOf = async (tenantId: string, isAnew = false): Promise<Postgres> => {
    const cached = locations.get(tenantId);
    if (cached && !isAnew) return shardNamed(shards, cached);
    locations.delete(tenantId);
    if (!isUuidInAnyCase(tenantId)) return own;
    const found = await findShard(shards, tenantId);
    // An unknown tenant is looked up on the home server, which reports that it does not exist.
    if (!found) return home;
    if (locations.size >= maxCached) locations.clear();
    locations.set(tenantId, found);
    return shardNamed(shards, found);
  };

  const waitForMove = async (error: unknown): Promise<boolean> => {
    const { code, detail: name = '', hint: tenantId = '' } = error as { code?: string; detail?: string; hint?: string };
    if (code !== movedCode) return false;
    const there = shardNamed(shards, name);
    for (const until = performance.now() + arrivesWithinMs; performance.now() < until; await sleep(lookMs)) {
      const found = await there.unbound.lookUp(findTenants, [[tenantId]]);
      if (found.length === 0) continue;
      locations.set(tenantId, name);
      return true;
    }
    throw new Error(`Connection terminated: a tenant is on its way to the ledger shard "${name}".`, { cause: error });
  };

  const withScope = (wall: TenantScope): Ledger => {
    if (wall.onHomeServer) return home.withScope(wall);
    const tenantId = wall.profileId ?? wall.workspaceId ?? wall.near;
    if (tenantId === undefined) return own.withScope(wall);
    return {
      transaction: (work, options) =>
        retryingMoves({ waitForMove }, async () =>
          (await shardOf(tenantId)).withScope(wall).transaction(work, options),
        ),
    };
  };

  return {
    withScope,
    forProfile: (profileId) => withScope({ profileId }),
    forWorkspace: (workspaceId) => withScope({ workspaceId }),
    snapshot: (profileId, work) =>
      retryingMoves({ waitForMove }, async () => (await shardOf(profileId)).snapshot(profileId, work)),
    walk: <Row>(statement: string, stops: readonly WalkItem[]) =>
      retryingMoves({ waitForMove }, async () => {
        const located = await Promise.all(stops.map(async (stop) => ({ stop, shard: await shardOf(stop.profileId) })));
        const walks = [...Map.groupBy(located, ({ shard }) => shard)].map(([shard, ownItems]) =>
          shard.walk<Row>(
            statement,
            ownItems.map(({ stop }) => stop),
          ),
        );
        return new Map((await Promise.all(walks)).flatMap((rows) => [...rows]));
      }),
    unbound: own.unbound,
    privacyLocks: {
      share: async (ids, onLost): Promise<PrivacyLockHandle | undefined> =>
        (await shardOf(ids[0] ?? '')).privacyLocks.share(ids, onLost),
    },
    database: home.database,
    home,
    shards,
    shardOf,
    waitForMove,
    allShards,
    ping: () => own.ping(),
    readTime: () => home.readTime(),
    pingWrites: () => own.pingWrites(),
    close: async () => void (await Promise.all([...shards.values()].map((shard) => shard.close()))),
  };
}

/** The SQLSTATE that the database raises for a moved tenant. The error's detail is the new shard, its hint the tenant. */
const movedCode = 'TR001';
const findTenants = 'SELECT id FROM find_tenants($1::uuid[])';

async function findShard(shards: ReadonlyMap<string, Postgres>, tenantId: string): Promise<string | undefined> {
  const lookups = await Promise.allSettled(
    [...shards].map(async ([name, { unbound }]) => {
      const rows = await unbound.lookUp(findTenants, [[tenantId]]);
      return rows.length > 0 ? name : undefined;
    }),
  );
  const found = lookups.find((one) => one.status === 'fulfilled' && one.value !== undefined);
  if (found?.status === 'fulfilled') return found.value;
  const away = lookups.find((one) => one.status === 'rejected');
  if (away) throw away.reason;
  return undefined;
}

function shardNamed(shards: ReadonlyMap<string, Postgres>, name: string): Postgres {
  const shard = shards.get(name);
  if (!shard) throw new TypeError(`There is no ledger shard "${name}" in LEDGER_SHARDS.`);
  return shard;
}
