import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type ConnectionOptions, connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { StreamUnreachable } from './errors.ts';

const firstConnectRetryMs = 250;

/** The connection to the server: it reconnects without end, and says when it is lost and when it is back. */
export class Link {
  readonly nats: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** The client lets a request that was under way run into its timeout, so whoever waits for an answer listens here. */
  readonly events = new EventEmitter<{ up: []; lost: [] }>().setMaxListeners(0);
  #up = true;

  private constructor(nats: NatsConnection, manager: JetStreamManager) {
    this.nats = nats;
    this.jetstream = jetstream(nats);
    this.manager = manager;
    void this.#watch();
  }

  static async open(url: string, waitMs: number): Promise<Link> {
    const options = connectionOptions(url);
    const deadline = performance.now() + waitMs;
    while (true) {
      try {
        const nats = await connect(options);
        return new Link(nats, await jetstreamManager(nats, { checkAPI: false }));
      } catch (error) {
        const hopeless = error instanceof errors.AuthorizationError;
        if (hopeless || performance.now() + firstConnectRetryMs > deadline) {
          throw new StreamUnreachable([options.servers].flat().join(', '), waitMs, error);
        }
        await sleep(firstConnectRetryMs);
      }
    }
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** Resolves while the server is there, else when it is back. */
  async untilUp(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.nats.isClosed()) throw new errors.ClosedConnectionError();
    if (!this.#up) await once(this.events, 'up', { signal });
  }

  async close(): Promise<void> {
    await this.nats.close();
  }

  async #watch(): Promise<void> {
    for await (const status of this.nats.status()) {
      if (status.type === 'disconnect' || status.type === 'close') {
        this.#up = false;
        this.events.emit('lost');
      } else if (status.type === 'reconnect') {
        this.#up = true;
        this.events.emit('up');
      }
    }
  }
}

/** The client takes addresses only; user, password and the wish for TLS stand in our URL. Several servers: commas between. */
export function connectionOptions(url: string): ConnectionOptions & { servers: string[] } {
  const [protocol = ''] = url.split('//');
  const addresses = url
    .split(',')
    .map((part) => new URL(part.includes('://') ? part.trim() : `${protocol}//${part.trim()}`));
  const { username, password } = addresses.find((address) => address.username) ?? {};
  return {
    servers: addresses.map((address) => `${address.hostname}:${address.port || 4222}`),
    ...(username && password && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(username && !password && { token: decodeURIComponent(username) }),
    ...(addresses.some((address) => address.protocol === 'tls:') && { tls: {} }),
    name: 'tributary',
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    timeout: 5_000,
    // A server that froze or a cable that was pulled is noticed after three silent pings, not after six minutes.
    pingInterval: 5_000,
    maxPingOut: 2,
    // A stack trace per published message costs more than the message.
    noAsyncTraces: true,
  };
}
