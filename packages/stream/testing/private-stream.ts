import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type ConnectOptions, connectStream, type Stream } from '../stream.ts';

export const testUrl = process.env.NATS_URL ?? 'nats://127.0.0.1:14222';

export interface PrivateStream {
  readonly stream: Stream;
  readonly prefix: string;
  /** Another connection to the same streams, as another process would have. */
  another(options?: Partial<ConnectOptions>): Promise<Stream>;
  /** Hangs up all connections and deletes the streams. */
  destroy(): Promise<void>;
}

/** Streams of a test file's own on the shared server, made and ready. */
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
    async destroy() {
      await Promise.all(opened.map((each) => each.close()));
      const nats = await connect({ servers: new URL(url).host });
      const { streams } = await jetstreamManager(nats);
      for await (const { config } of streams.list()) {
        if (config.name.startsWith(`${prefix}-`)) await streams.delete(config.name);
      }
      await nats.close();
    },
  };
}
