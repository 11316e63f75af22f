import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server outside Tributary that records each request: the endpoint of a webhook, or an assistant that waits for its code. */
export interface Receiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** The status of responses from now on. */
  status: number;
  close(): void;
}

export async function openReceiver(): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    requests.push({
      url: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(parts).toString(),
    });
    response.writeHead(receiver.status, { 'content-type': 'text/plain' }).end('received');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    status: 200,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
