import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { v7 as uuid } from 'uuid';

/**
 * Runs all flooding attacks at once until it is killed. They use sockets that send only headers, slow bodies, oversized bodies, URLs that are slow to
 * parse, and pipelined requests.
 */
const { apiPort, collectorPort, key, authorization } = JSON.parse(process.argv[2] ?? '') as {
  readonly apiPort: number;
  readonly collectorPort: number;
  readonly key: string;
  readonly authorization: string;
};

const requestHead = (path: string, bytes: number) =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\nx-forwarded-for: 203.0.113.5\r\ncontent-length: ${bytes}\r\n\r\n`;
const dial = (port: number, then: (socket: Socket) => void) => {
  const socket = connect(port, '127.0.0.1', () => then(socket));
  return socket.on('error', () => {}).resume();
};
/** Reopens the connection one second after it was closed. */
const keepOpen = (port: number, then: (socket: Socket) => void) => {
  dial(port, then).once('close', () => setTimeout(keepOpen, 1_000, port, then));
};
const send = (port: number, path: string, body: string, headers: Record<string, string> = {}) =>
  request(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/plain', 'x-forwarded-for': '203.0.113.6', ...headers },
  })
    .then(({ body: responseBody }) => responseBody.dump())
    .catch(() => {});

for (let count = 0; count < 256; count += 1) {
  keepOpen(collectorPort, (socket) => socket.write(requestHead('/v1/visits', 65_536)));
  keepOpen(apiPort, (socket) => socket.write(requestHead('/api/v1/events', 65_536)));
}
for (let count = 0; count < 16; count += 1) {
  keepOpen(apiPort, (socket) => {
    socket.write(requestHead('/api/v1/events', 65_536));
    const timer = setInterval(() => socket.write('x'), 200);
    socket.once('close', () => clearInterval(timer));
  });
}
const forever = async (everyMs: number, once: () => Promise<unknown>) => {
  for (;;) {
    await once();
    await sleep(everyMs);
  }
};
const hostile = JSON.stringify({
  key,
  client_id: uuid(),
  visits: Array.from({ length: 15 }, () => ({
    type: 'page_view',
    url: `https://shop.example/?${'%25&'.repeat(1_018)}`,
  })),
});
void forever(1_000, () => send(collectorPort, '/v1/visits', hostile));
void forever(500, () => send(apiPort, '/api/v1/events', 'x'.repeat(6 << 20), { 'content-type': 'application/json' }));
void forever(2_000, async () => {
  const pipelined = `GET /api/v1/customers/search?q=an HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\n\r\n`;
  const socket = dial(apiPort, (open) => open.write(pipelined.repeat(40)));
  await sleep(1_500);
  socket.destroy();
});
process.send?.('at work');
