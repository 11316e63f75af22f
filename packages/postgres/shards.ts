import { setTimeout as sleep } from 'node:timers/promises';
import { homeShard, isUuidInAnyCase } from '@tributary/vocabulary';
import type { RawBuilder } from 'kysely';
import { type Everywhere, everywhereOf, type Ledger, type Postgres, type UnboundLedger, type Wall } from './ledger.ts';
import type { HeldLocks } from './privacy-locks.ts';
import type { Stop } from './walk.ts';

/** One row, wherever it is. That it is nowhere can only be said when all have answered. */
export async function findAnywhere<T>(everywhere: Everywhere, statement: RawBuilder<T>): Promise<T | undefined> {
  const { rows, away } = await everywhere.ask(() => statement);
  if (rows[0]) return rows[0];
  if (away !== undefined) throw away;
  return undefined;
}

/** Work on many profiles at once, each server's part by itself. */
export async function onEachServer<Item extends { readonly profileId: string }, T>(
  postgres: Postgres,
  items: readonly Item[],
  work: (there: UnboundLedger, items: readonly Item[]) => Promise<T>,
): Promise<T[]> {
  if (postgres.shards.size === 1) return [await work(postgres.unbound, items)];
  return following(postgres, () => workByServer(postgres, items, work));
}

async function workByServer<Item extends { readonly profileId: string }, T>(
  postgres: Postgres,
  items: readonly Item[],
  work: (there: UnboundLedger, items: readonly Item[]) => Promise<T>,
): Promise<T[]> {
  const placed = await Promise.all(
    items.map(async (item) => ({ item, shard: await postgres.shardOf(item.profileId) })),
  );
  const parts = [...Map.groupBy(placed, ({ shard }) => shard)];
  return Promise.all(
    parts.map(([shard, theirs]) =>
      work(
        shard.unbound,
        theirs.map(({ item }) => item),
      ),
    ),
  );
}

/** Again where a tenant has gone to: what was done for the others meanwhile must bear it. */
async function following<T>(postgres: Pick<Postgres, 'followMoved'>, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === mostMoves || !(await postgres.followMoved(error))) throw error;
    }
  }
}

const mostMoves = 10;
/** Of a tenant that has gone, how long its other server is waited for: between closing the one and opening the other is a moment. */
const arrivesWithinMs = 10_000;
const lookMs = 20;

/** So many places are remembered; then the memory begins anew. */
const mostRemembered = 100_000;

/**
 * Several servers as one. A workspace is whole on one of them, with its profiles, members, credentials and logs, so that no transaction
 * spans two; what opens a wall goes to the server that has the tenant. `here` is the one whose queues this process works, and what stands
 * behind no wall runs there.
 */
export function joinShards(shards: ReadonlyMap<string, Postgres>, here: string = homeShard): Postgres {
  const own = named(shards, here);
  const home = named(shards, homeShard);
  if (shards.size === 1) return own;
  const everywhere = everywhereOf(shards);
  const places = new Map<string, string>();

  const shardOf = async (tenantId: string, isAnew = false): Promise<Postgres> => {
    const known = places.get(tenantId);
    if (known && !isAnew) return named(shards, known);
    places.delete(tenantId);
    if (!isUuidInAnyCase(tenantId)) return own;
    const found = await findShard(shards, tenantId);
    // What is nowhere is looked for where everything begins, and not found there.
    if (!found) return home;
    if (places.size >= mostRemembered) places.clear();
    places.set(tenantId, found);
    return named(shards, found);
  };

  const followMoved = async (error: unknown): Promise<boolean> => {
    const { code, detail: name = '', hint: tenantId = '' } = error as { code?: string; detail?: string; hint?: string };
    if (code !== movedCode) return false;
    const there = named(shards, name);
    for (const until = performance.now() + arrivesWithinMs; performance.now() < until; await sleep(lookMs)) {
      const found = await there.unbound.lookUp(findTenants, [[tenantId]]);
      if (found.length === 0) continue;
      places.set(tenantId, name);
      return true;
    }
    throw new Error(`Connection terminated: a tenant is on its way to the ledger shard "${name}".`, { cause: error });
  };

  const behind = (wall: Wall): Ledger => {
    if (wall.isAtHome) return home.behind(wall);
    const tenantId = wall.profileId ?? wall.workspaceId ?? wall.near;
    if (tenantId === undefined) return own.behind(wall);
    return {
      transaction: (work, options) =>
        following({ followMoved }, async () => (await shardOf(tenantId)).behind(wall).transaction(work, options)),
    };
  };

  return {
    behind,
    forProfile: (profileId) => behind({ profileId }),
    forWorkspace: (workspaceId) => behind({ workspaceId }),
    snapshot: (profileId, work) =>
      following({ followMoved }, async () => (await shardOf(profileId)).snapshot(profileId, work)),
    walk: <Row>(statement: string, stops: readonly Stop[]) =>
      following({ followMoved }, async () => {
        const placed = await Promise.all(stops.map(async (stop) => ({ stop, shard: await shardOf(stop.profileId) })));
        const walks = [...Map.groupBy(placed, ({ shard }) => shard)].map(([shard, theirs]) =>
          shard.walk<Row>(
            statement,
            theirs.map(({ stop }) => stop),
          ),
        );
        return new Map((await Promise.all(walks)).flatMap((rows) => [...rows]));
      }),
    unbound: own.unbound,
    privacyLocks: {
      share: async (ids, onLost): Promise<HeldLocks | undefined> =>
        (await shardOf(ids[0] ?? '')).privacyLocks.share(ids, onLost),
    },
    database: home.database,
    home,
    shards,
    shardOf,
    followMoved,
    everywhere,
    ping: () => own.ping(),
    readTime: () => home.readTime(),
    pingWrites: () => own.pingWrites(),
    close: async () => void (await Promise.all([...shards.values()].map((shard) => shard.close()))),
  };
}

/** What the database says of a tenant that has gone, with where to and who. */
const movedCode = 'TR001';
const findTenants = 'SELECT id FROM find_tenants($1::uuid[])';

async function findShard(shards: ReadonlyMap<string, Postgres>, tenantId: string): Promise<string | undefined> {
  const asked = await Promise.allSettled(
    [...shards].map(async ([name, { unbound }]) => {
      const rows = await unbound.lookUp(findTenants, [[tenantId]]);
      return rows.length > 0 ? name : undefined;
    }),
  );
  const found = asked.find((one) => one.status === 'fulfilled' && one.value !== undefined);
  if (found?.status === 'fulfilled') return found.value;
  const away = asked.find((one) => one.status === 'rejected');
  if (away) throw away.reason;
  return undefined;
}

function named(shards: ReadonlyMap<string, Postgres>, name: string): Postgres {
  const shard = shards.get(name);
  if (!shard) throw new TypeError(`There is no ledger shard "${name}" in LEDGER_SHARDS.`);
  return shard;
}
