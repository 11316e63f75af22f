import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionTo } from './servers.ts';

export interface Hearing {
  readonly onMessage: (message: string) => void;
  /** From now on nothing is missed; what was said before was not heard. */
  readonly onConnect: () => void;
  /** Something may be missed from now on, until it is connected again. */
  readonly onLost?: () => void;
  readonly onError: (error: unknown) => void;
}

/** A connection that says nothing for so long may be gone without anybody knowing. */
const signOfLifeMs = 15_000;
const reconnectMs = 1_000;

/** Hears what is announced on a channel, over a connection of its own that is opened again whenever it breaks. */
export function listen(
  url: string,
  channel: string,
  { onMessage, onConnect, onLost = () => {}, onError }: Hearing,
): { close(): Promise<void> } {
  const stopping = new AbortController();
  const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

  const hear = async () => {
    const client = new pg.Client({ ...connectionTo(url), connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
    const lost = new AbortController();
    client.on('error', (error) => lost.abort(error));
    client.on('end', () => lost.abort());
    const over = AbortSignal.any([stopping.signal, lost.signal]);
    client.on('notification', ({ payload = '' }) => onMessage(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      onConnect();
      while (!over.aborted) {
        await pause(signOfLifeMs, over);
        if (!over.aborted) await client.query('SELECT 1');
      }
    } finally {
      onLost();
      await client.end().catch(() => {});
    }
  };

  const done = (async () => {
    while (!stopping.signal.aborted) {
      await hear().catch((error) => {
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

/** The same of several servers: something may be missed as long as one of them is not heard. */
export function listenToAll(urls: readonly string[], channel: string, hearing: Hearing): { close(): Promise<void> } {
  const heard = new Set<string>();
  const parts = urls.map((url) =>
    listen(url, channel, {
      ...hearing,
      onConnect: () => {
        heard.add(url);
        if (heard.size === urls.length) hearing.onConnect();
      },
      onLost: () => {
        heard.delete(url);
        hearing.onLost?.();
      },
    }),
  );
  return { close: async () => void (await Promise.all(parts.map((part) => part.close()))) };
}
