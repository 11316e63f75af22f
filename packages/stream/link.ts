import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type ConnectionOptions, connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { StreamUnreachable } from './errors.ts';

const firstConnectRetryMs = 250;

/** The connection to the server. It reconnects without a limit and emits events when it is lost and restored. */
export class Link {
  readonly nats: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** The client lets pending requests time out after a lost connection, so callers that wait for an answer listen here. */
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
        const isPermanent = error instanceof errors.AuthorizationError;
        if (isPermanent || performance.now() + firstConnectRetryMs > deadline) {
          throw new StreamUnreachable([options.servers].flat().join(', '), waitMs, error);
        }
        await sleep(firstConnectRetryMs);
      }
    }
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** Resolves while connected, otherwise after the reconnect. */
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

/** The client accepts only addresses, so user, password and TLS are taken from the URL. Several servers are separated by commas. */
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
    // Detects a frozen server or a cut network after three unanswered pings instead of six minutes.
    pingInterval: 5_000,
    maxPingOut: 2,
    // A stack trace per published message would cost more than the message itself.
    noAsyncTraces: true,
  };
}
