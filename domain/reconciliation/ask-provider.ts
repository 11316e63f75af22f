import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connected,
  ConnectionUnusable,
  listLive,
  type Opened,
  openAccount,
  type ProfileServices,
  withSyncs,
} from '@tributary/domain/connections';
import { type Books, openCall, ProviderFault } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import type { Unread } from './compared.ts';

export interface ProviderServices extends ProfileServices {
  readonly now: () => Date;
}

/** A provider that keeps books, with its accounts that this profile is connected to. */
export interface Kept {
  readonly channel: Channel;
  readonly accounts: readonly (Opened & Pick<Connected, 'sync'>)[];
}

/**
 * The providers of a profile that can say what it came to. Where one account of a provider cannot be opened the provider is left out: what
 * is recorded of it would seem too much.
 */
export async function openBooks(
  services: ProviderServices,
  profileId: string,
  book: keyof Books<unknown>,
  signal: AbortSignal,
): Promise<{ readonly kept: Kept[]; readonly unread: Unread[] }> {
  const { ledger, providers, now } = services;
  const live = await ledger.transaction(async (tx) => withSyncs(tx, profileId, await listLive(tx, profileId)), {
    readOnly: true,
  });
  const asked = live.filter(({ connection }) => providers.of(connection.channel as Channel)?.books?.[book]);
  const kept: Kept[] = [];
  const unread: Unread[] = [];
  for (const [channel, connected] of Map.groupBy(asked, ({ connection }) => connection.channel as Channel)) {
    const accounts: (Opened & Pick<Connected, 'sync'>)[] = [];
    for (const { connection, sync } of connected) {
      const opened = await tried(() => openAccount(services, profileId, connection.id, now(), signal), signal);
      if ('reason' in opened) unread.push({ connectionId: connection.id, channel, reason: opened.reason });
      else accounts.push({ ...opened.value, sync });
    }
    if (accounts.length === connected.length) kept.push({ channel, accounts });
  }
  return { kept, unread };
}

export const callOf = ({ providerOutbound, now }: ProviderServices, signal: AbortSignal) =>
  openCall(providerOutbound, now(), signal);

const againMs = [500, 2_000, 5_000];

/** What a provider says, or why it says nothing. A brief failure is tried again; no longer than a night's work may wait. */
export async function tried<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly value: T } | { readonly reason: string }> {
  for (let nth = 0; ; nth += 1) {
    try {
      return { value: await ask() };
    } catch (error) {
      if (error instanceof ConnectionUnusable) return { reason: error.reason };
      if (!(error instanceof ProviderFault)) throw error;
      const { verdict, retryAfterMs = 0, code } = error.details;
      const waitMs = againMs[nth];
      if (verdict !== 'wait' || waitMs === undefined || retryAfterMs > (againMs.at(-1) ?? 0)) return { reason: code };
      await sleep(Math.max(waitMs, retryAfterMs), undefined, { signal });
    }
  }
}
