import { connect, createServer, type Socket } from 'node:net';
import { testUrl } from './private-stream.ts';

export interface FlakyLine {
  readonly url: string;
  /** Breaks all connections and lets nobody in until `mend`. */
  cut(): void;
  /** Swallows what the server says from now on, so that work is done and its acknowledgement never arrives. */
  deafen(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A line to the shared server that a test can break without breaking everybody else's. */
export async function openFlakyLine(): Promise<FlakyLine> {
  const { hostname, port, username, password } = new URL(testUrl);
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'deaf' = 'whole';

  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const line = createServer((client) => {
    client.on('error', () => {});
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', breakAllOf(client, server));
    }
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => {
      if (state !== 'deaf') client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const { port: ownPort } = line.address() as { port: number };

  return {
    url: `nats://${username}:${password}@127.0.0.1:${ownPort}`,
    cut() {
      state = 'cut';
      breakAll();
    },
    deafen() {
      state = 'deaf';
    },
    mend() {
      // What was swallowed is gone, so the client must start over.
      if (state === 'deaf') breakAll();
      state = 'whole';
    },
    async close() {
      breakAll();
      await new Promise((resolve) => line.close(resolve));
    },
  };
}

function breakAllOf(...pair: Socket[]): () => void {
  return () => {
    for (const socket of pair) socket.destroy();
  };
}
