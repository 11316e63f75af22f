import { randomUUID } from 'node:crypto';
import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type ConnectOptions, connectionOptions, connectStream, type Stream } from '@tributary/stream';

export const testUrl = process.env.NATS_URL ?? 'nats://127.0.0.1:14222';

export interface PrivateStream {
  readonly stream: Stream;
  readonly prefix: string;
  /** Another connection to the same streams, as another process would have. */
  another(options?: Partial<ConnectOptions>): Promise<Stream>;
  /** Every stored message by stream: subject, headers and payload as text. */
  texts(): Promise<Map<string, string[]>>;
  /** Closes all connections and deletes the streams. */
  destroy(): Promise<void>;
}

/** Creates streams for one test file on the shared server. */
export async function openPrivateStream(options: Partial<ConnectOptions> = {}): Promise<PrivateStream> {
  const prefix = `test_${randomUUID().replaceAll('-', '')}`;
  const url = options.url ?? testUrl;
  const opened: Stream[] = [];
  const another = async (more: Partial<ConnectOptions> = {}) => {
    const stream = await connectStream({ url, ...options, ...more, prefix });
    opened.push(stream);
    return stream;
  };
  const stream = await another();
  await stream.ensureStreams();
  return {
    stream,
    prefix,
    another,
    async texts() {
      const found = new Map<string, string[]>();
      await eachStream(url, prefix, async ({ streams }, { config, state }) => {
        const texts: string[] = [];
        // Both are 0 for a stream that never had a message.
        for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
          const message = await streams.getMessage(config.name, { seq });
          if (message) texts.push([message.subject, ...(message.header ?? []), message.string()].join('\n'));
        }
        found.set(config.name.slice(prefix.length + 1), texts);
      });
      return found;
    },
    async destroy() {
      await Promise.all(opened.map((each) => each.close()));
      await destroyStreams(prefix, url);
    },
  };
}

/** Deletes the streams with a prefix, including those that other processes created. */
export const destroyStreams = (prefix: string, url = testUrl): Promise<void> =>
  eachStream(url, prefix, ({ streams }, { config }) => streams.delete(config.name));

async function eachStream(
  url: string,
  prefix: string,
  work: (manager: JetStreamManager, stream: StreamInfo) => Promise<unknown>,
): Promise<void> {
  const nats = await connect(connectionOptions(url));
  const manager = await jetstreamManager(nats);
  for await (const info of manager.streams.list()) {
    if (info.config.name.startsWith(`${prefix}-`)) await work(manager, info);
  }
  await nats.close();
}
