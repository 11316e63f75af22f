import { json, type Reply } from '@tributary/sandbox';
import type { Channel } from '@tributary/vocabulary';
import type { LastingFault } from './providers-life.ts';
import type { ProvidersShop, ProvidersWorld } from './providers-world.ts';

/** Where a provider's API lies in the sandbox, and how it says that too much was asked. */
export interface FaultyApi {
  readonly path: string | RegExp;
  readonly throttle: Reply | (() => Reply);
  readonly outage?: Reply;
}

/** While it lasts, every call is answered so. Something happens meanwhile that is only seen afterwards. */
function lasting(
  world: ProvidersWorld,
  channel: Channel,
  fault: Parameters<ReturnType<ProvidersWorld['sandboxOf']>['say']>[0],
  meanwhile: () => unknown,
): LastingFault {
  const end = world.sandboxOf(channel).say({ times: 1_000_000, ...fault });
  meanwhile();
  return { end };
}

export const outage = (
  world: ProvidersWorld,
  channel: Channel,
  { path, outage: reply }: FaultyApi,
  meanwhile: () => unknown,
) => lasting(world, channel, { at: path, reply: reply ?? json(503, { message: 'Service unavailable' }) }, meanwhile);

export const throttled = (
  world: ProvidersWorld,
  channel: Channel,
  { path, throttle: reply }: FaultyApi,
  meanwhile: () => unknown,
) => lasting(world, channel, { at: path, reply }, meanwhile);

/** More pages in a row are cut off than a sync asks for again at once. */
export function cutOff(
  world: ProvidersWorld,
  channel: Channel,
  { path }: FaultyApi,
  meanwhile: () => unknown,
): LastingFault {
  const end = world.sandboxOf(channel).say({ at: path, answer: 'truncated', times: 6 });
  meanwhile();
  return { end };
}

/**
 * The merchant takes the consent back at the provider. The next sync finds out and asks for a new consent; something happens meanwhile; the
 * merchant consents again, and the connection has the id that it had.
 */
export function revoked(
  shop: ProvidersShop,
  of: {
    readonly accounts: ReadonlyMap<string, string>;
    /** What takes the consent back. */
    readonly revoke: (account: string) => void;
    readonly connect: (account: string) => Promise<unknown>;
  },
  meanwhile: () => unknown,
): LastingFault {
  for (const account of of.accounts.keys()) of.revoke(account);
  meanwhile();
  return {
    async end() {
      for (const [account, id] of of.accounts) {
        const status = await shop.statusOf(id);
        if (status !== 'reconnect_required')
          throw new Error(`${account} was revoked, and its connection is ${status}.`);
      }
      for (const account of of.accounts.keys()) await of.connect(account);
    },
  };
}
