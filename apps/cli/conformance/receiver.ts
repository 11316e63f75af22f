import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When it arrived, by this machine's clock. */
  readonly at: number;
}

/** Receives webhooks on this machine. Each subscription of a check has its own path. */
export class Receiver {
  readonly #server: Server;
  readonly #deliveries = new Map<string, Delivery[]>();
  readonly #statuses = new Map<string, number[]>();
  readonly #delaysMs = new Map<string, number>();
  readonly url: string;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}`;
  }

  static async open(): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '/';
        const headers = request.headers as Record<string, string>;
        receiver.at(path).push({ headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() });
        const status = receiver.#statuses.get(path)?.shift() ?? 200;
        const respond = () => response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end();
        setTimeout(respond, receiver.#delaysMs.get(path) ?? 0);
      });
    });
    return receiver;
  }

  /** The deliveries to this path so far. */
  at(path: string): Delivery[] {
    const deliveries = this.#deliveries.get(path) ?? [];
    this.#deliveries.set(path, deliveries);
    return deliveries;
  }

  /** The next deliveries to this path get these statuses, later ones 200. */
  answerNext(path: string, ...statuses: readonly number[]): void {
    this.#statuses.set(path, [...statuses]);
  }

  /** Delays the responses to deliveries on this path. */
  delay(path: string, milliseconds: number): void {
    this.#delaysMs.set(path, milliseconds);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
