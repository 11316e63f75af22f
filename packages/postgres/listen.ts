import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionTo } from './servers.ts';

export interface ListenOptions {
  readonly onMessage: (message: string) => void;
  /** The subscription is active: later messages are delivered, earlier ones were not. */
  readonly onConnect: () => void;
  /** Messages may be missed from now on, until the next `onConnect`. */
  readonly onLost?: () => void;
  readonly onError: (error: unknown) => void;
}

/** Interval of a query that detects a dead connection. */
const keepAliveMs = 15_000;
const reconnectMs = 1_000;

/** Receives notifications of a channel over a dedicated connection, which is reopened whenever it breaks. */
export function listen(
  url: string,
  channel: string,
  { onMessage, onConnect, onLost = () => {}, onError }: ListenOptions,
): { close(): Promise<void> } {
  const stopping = new AbortController();
  const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

  const receive = async () => {
    const client = new pg.Client({ ...connectionTo(url), connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
    const lost = new AbortController();
    client.on('error', (error) => lost.abort(error));
    client.on('end', () => lost.abort());
    const ended = AbortSignal.any([stopping.signal, lost.signal]);
    client.on('notification', ({ payload = '' }) => onMessage(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      onConnect();
      while (!ended.aborted) {
        await pause(keepAliveMs, ended);
        if (!ended.aborted) await client.query('SELECT 1');
      }
    } finally {
      onLost();
      await client.end().catch(() => {});
    }
  };

  const done = (async () => {
    while (!stopping.signal.aborted) {
      await receive().catch((error) => {
        if (!stopping.signal.aborted) onError(error);
      });
      await pause(reconnectMs, stopping.signal);
    }
  })();
  return {
    close: () => {
      stopping.abort();
      return done;
    },
  };
}

/** Listens on several servers: it counts as connected only while all of them are connected. */
export function listenToAll(
  urls: readonly string[],
  channel: string,
  subscription: ListenOptions,
): { close(): Promise<void> } {
  const connected = new Set<string>();
  const parts = urls.map((url) =>
    listen(url, channel, {
      ...subscription,
      onConnect: () => {
        connected.add(url);
        if (connected.size === urls.length) subscription.onConnect();
      },
      onLost: () => {
        connected.delete(url);
        subscription.onLost?.();
      },
    }),
  );
  return { close: async () => void (await Promise.all(parts.map((part) => part.close()))) };
}
