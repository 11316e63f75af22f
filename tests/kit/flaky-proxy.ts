import { connect, createServer, type Socket } from 'node:net';

export interface FlakyLine {
  readonly url: string;
  /** Breaks all connections and refuses new ones until `mend`. */
  cut(): void;
  /** Drops everything the server sends from now on, so that work is done but its acknowledgement never arrives. */
  deafen(): void;
  /** Holds back traffic in both directions without losing any, as if the server hung. */
  freeze(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A TCP proxy to a server that a test can break without breaking the connections of other tests. `to` is the server's URL. */
export async function openFlakyLineTo(to: string): Promise<FlakyLine> {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'deaf' | 'frozen' = 'whole';

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
    if (state === 'frozen') for (const socket of [client, server]) socket.pause();
    server.on('data', (bytes) => {
      if (state !== 'deaf') client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const { port: ownPort } = line.address() as { port: number };

  return {
    url: onPort(to, ownPort),
    cut() {
      state = 'cut';
      breakAll();
    },
    deafen() {
      state = 'deaf';
    },
    freeze() {
      state = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    mend() {
      for (const socket of sockets) socket.resume();
      // The dropped bytes are lost, so the client must reconnect.
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

function onPort(to: string, port: number): string {
  const url = new URL(to);
  url.host = `127.0.0.1:${port}`;
  return url.href;
}
