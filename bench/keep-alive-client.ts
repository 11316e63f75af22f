import { connect, type Socket } from 'node:net';

/**
 * Sends prepared requests over keep-alive connections, one at a time on each, and counts the responses. A general HTTP client would use much of the
 * two cores being measured.
 */
export class KeepAliveClient {
  readonly #port: number;
  readonly #sockets: Socket[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  async open(connections: number): Promise<this> {
    for (let index = 0; index < connections; index += 1) {
      this.#sockets.push(
        await new Promise<Socket>((resolve, reject) => {
          const socket = connect(this.#port, '127.0.0.1', () => resolve(socket.setNoDelay(true)));
          socket.once('error', reject);
        }),
      );
    }
    return this;
  }

  /** Responses per second. Every response must begin with `expected` and have no body. */
  async measure(next: () => Buffer, seconds: number, expected: string): Promise<number> {
    const startedAt = performance.now();
    const until = startedAt + seconds * 1_000;
    const more = () => (performance.now() < until ? next() : undefined);
    const counts = await Promise.all(this.#sockets.map((socket) => lane(socket, more, expected)));
    return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1_000);
  }

  /** Sends all requests; resolves to the number of expected responses. */
  async send(requests: Buffer[], expected: string): Promise<number> {
    const last = () => requests.pop();
    const counts = await Promise.all(this.#sockets.map((socket) => lane(socket, last, expected)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Runs until there is no next request. */
function lane(socket: Socket, next: () => Buffer | undefined, expected: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    let text = '';
    const onData = (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (!text.endsWith('\r\n\r\n')) return;
      if (!text.startsWith(expected)) {
        reject(new Error(`An answer was not "${expected}": ${text.slice(0, 300)}`));
        return;
      }
      text = '';
      answered += 1;
      sendNext();
    };
    const sendNext = () => {
      const request = next();
      if (request) socket.write(request);
      else {
        socket.off('data', onData);
        resolve(answered);
      }
    };
    socket.on('data', onData);
    sendNext();
  });
}
