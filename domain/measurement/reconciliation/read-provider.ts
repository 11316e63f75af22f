import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConnectionUnusable,
  type ConnectionWithSync,
  listActive,
  type OpenedAccount,
  openAccount,
  type ProfileServices,
  withSyncs,
} from '@tributary/domain/advertising/connections';
import { type AccountTotals, openCall, ProviderFault } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import type { Unread } from './compared.ts';

export interface ProviderServices extends ProfileServices {
  readonly now: () => Date;
}

/** A provider with its own books, and the accounts of this profile there. */
export interface BookedProvider {
  readonly channel: Channel;
  readonly accounts: readonly (OpenedAccount & Pick<ConnectionWithSync, 'sync'>)[];
}

/**
 * The providers of a profile that have such a book. If one account of a provider cannot be opened, the provider is left out, because the
 * ledger would seem to have too much.
 */
export async function openBooks(
  services: ProviderServices,
  profileId: string,
  book: keyof AccountTotals<unknown>,
  signal: AbortSignal,
): Promise<{ readonly available: BookedProvider[]; readonly unread: Unread[] }> {
  const { ledger, providers, now } = services;
  const live = await ledger.transaction(async (tx) => withSyncs(tx, profileId, await listActive(tx, profileId)), {
    readOnly: true,
  });
  const withBook = live.filter(({ connection }) => providers.of(connection.channel as Channel)?.books?.[book]);
  const available: BookedProvider[] = [];
  const unread: Unread[] = [];
  for (const [channel, connected] of Map.groupBy(withBook, ({ connection }) => connection.channel as Channel)) {
    const accounts: (OpenedAccount & Pick<ConnectionWithSync, 'sync'>)[] = [];
    for (const { connection, sync } of connected) {
      const opened = await tryRead(() => openAccount(services, profileId, connection.id, now(), signal), signal);
      if ('reason' in opened) unread.push({ connectionId: connection.id, channel, reason: opened.reason });
      else accounts.push({ ...opened.value, sync });
    }
    if (accounts.length === connected.length) available.push({ channel, accounts });
  }
  return { available, unread };
}

export const callOf = ({ providerOutbound, now }: ProviderServices, signal: AbortSignal) =>
  openCall(providerOutbound, now(), signal);

const retryDelaysMs = [500, 2_000, 5_000];

/** Returns the provider's response or the reason why there is none. Retries brief failures, but no longer than a nightly run may wait. */
export async function tryRead<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly value: T } | { readonly reason: string }> {
  for (let nth = 0; ; nth += 1) {
    try {
      return { value: await read() };
    } catch (error) {
      if (error instanceof ConnectionUnusable) return { reason: error.reason };
      if (!(error instanceof ProviderFault)) throw error;
      const { verdict, retryAfterMs = 0, code } = error.details;
      const waitMs = retryDelaysMs[nth];
      if (verdict !== 'wait' || waitMs === undefined || retryAfterMs > (retryDelaysMs.at(-1) ?? 0))
        return { reason: code };
      await sleep(Math.max(waitMs, retryAfterMs), undefined, { signal });
    }
  }
}
