import { json, type Reply } from '@tributary/sandbox';
import type { Channel } from '@tributary/vocabulary';
import type { LastingFault } from './providers-life.ts';
import type { ProvidersShop, ProvidersWorld } from './providers-world.ts';

/** The path of a provider's API in the sandbox, and its responses when it throttles a client or is down. */
export interface FaultyApi {
  readonly path: string | RegExp;
  readonly throttle: Reply | (() => Reply);
  readonly outage?: Reply;
}

/** Answers every call with the fault until it ends. `meanwhile` changes something that syncs can read only afterwards. */
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

/** Truncates more consecutive pages than a sync retries immediately. */
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
 * The merchant revokes the consent at the provider. The next sync detects this and requires a new consent, while `meanwhile` changes something.
 * Then the merchant consents again, and the connection keeps its id.
 */
export function revoked(
  shop: ProvidersShop,
  of: {
    readonly accounts: ReadonlyMap<string, string>;
    /** Revokes the consent of an account. */
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
