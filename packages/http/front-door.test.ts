import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { data, route } from '@tributary/contract';
import { answer } from '@tributary/operations';
import {
  type BuiltKey,
  buildApiKey,
  buildProfile,
  openTestkit,
  serve,
  served,
  type Testkit,
  type TestServer,
} from '@tributary/testkit';
import { bombBytes, growthDuring, makeBombs } from '@tributary/testkit/bombs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

const MiB = 1024 * 1024;

const upload = route({
  id: 'upload',
  method: 'POST',
  path: '/api/v1/upload',
  audit: 'not needed: a test',
  summary: 'Upload',
  chapter: 'Test',
  access: { credentials: ['api_key'], scopes: [['goals:write']], grain: 'profile' },
  body: { schema: z.object({ text: z.string() }), maxBytes: 4 * MiB },
  answers: { 200: { schema: data(z.strictObject({ length: z.number() })) } },
});
const enter = route({
  ...upload,
  id: 'enter',
  path: '/api/v1/enter',
  access: { credentials: ['public'], grain: 'account' },
  answers: { 200: { schema: z.strictObject({ length: z.number() }), bare: true } },
});

let kit: Testkit;
let server: TestServer;
let port: number;
let key: BuiltKey;
let weak: BuiltKey;
beforeAll(async () => {
  kit = await openTestkit();
  const { id } = await buildProfile(kit.app);
  [key, weak] = await Promise.all([
    buildApiKey(kit.app, id, { scopes: ['goals:write'] }),
    buildApiKey(kit.app, id, { scopes: ['campaigns:read'] }),
  ]);
  server = await serve(
    kit,
    [
      served(upload, async ({ body }) => answer(200, { data: { length: body.text.length } })),
      served(enter, async ({ body }) => answer(200, { length: body.text.length })),
    ],
    {
      headersTimeoutMs: 1_000,
      bodies: {
        known: { inAll: 6 * MiB, perSender: 5 * MiB },
        strangers: { inAll: 4 * 60_000, perSender: 2 * 60_000 },
        providers: { inAll: 6 * MiB, perSender: 5 * MiB },
        strangerBytes: 64 * 1024,
        idleMs: 1_500,
        wholeMs: 3_000,
      },
    },
  );
  await server.fastify.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = server.fastify.server.address() as AddressInfo);
});
afterAll(async () => {
  await server.close();
  await kit.close();
});

interface ResponseSummary {
  readonly status: number;
  readonly code: string | undefined;
}

/** Reads the response as soon as the server sends it. */
async function readResponse(socket: Socket): Promise<ResponseSummary> {
  let text = '';
  for await (const [chunk] of ended(socket)) {
    text += chunk;
    if (/\r\n\r\n.*\}$/s.test(text)) break;
  }
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), code: /"code":"(\w+)"/.exec(text)?.[1] };
}

async function* ended(socket: Socket) {
  const over = once(socket, 'close').then(() => undefined);
  for (;;) {
    const next = await Promise.race([once(socket, 'data'), over]);
    if (!next) return;
    yield next;
  }
}

function open(path: string, length: number, headers: Record<string, string> = {}, from = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  const lines = Object.entries({ 'content-type': 'application/json', 'content-length': String(length), ...headers });
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  return socket;
}

const json = (length: number) => `{"text":"${'x'.repeat(length - 11)}"}`;

test.each([
  ['without a credential', () => ({}), 401, 'unauthorized'],
  ['with an invalid credential', () => ({ authorization: 'Bearer nonsense' }), 401, 'unauthorized'],
  ['with a credential that lacks the scope', () => ({ ...weak.headers }), 403, 'insufficient_scope'],
])('a request %s is rejected before its body arrives', async (_, headers, status, code) => {
  const socket = open('/api/v1/upload', 4 * MiB, headers());
  expect(await readResponse(socket)).toEqual({ status, code });
  socket.destroy();
});

test('a request to an unknown path is rejected before its body arrives', async () => {
  const socket = open('/api/v1/nowhere', MiB);
  expect(await readResponse(socket)).toEqual({ status: 404, code: 'not_found' });
  socket.destroy();
});

test('limits the body of an anonymous caller below the limit of the route', async () => {
  const socket = open('/api/v1/enter', 64 * 1024 + 1);
  expect(await readResponse(socket)).toEqual({ status: 413, code: 'payload_too_large' });
  socket.destroy();
  const small = open('/api/v1/enter', 60_000);
  small.write(json(60_000));
  expect((await readResponse(small)).status).toBe(200);
  small.destroy();
});

test('rejects a body that is shorter or longer than its Content-Length', async () => {
  // Bypasses the socket, because Node itself ends a body at its Content-Length.
  const send = (announced: number) =>
    server.fastify.inject({
      method: 'POST',
      url: '/api/v1/upload',
      headers: { ...key.headers, 'content-type': 'application/json', 'content-length': String(announced) },
      payload: json(100),
    });
  for (const announced of [99, 101])
    expect((await send(announced)).json().error).toMatchObject({
      code: 'invalid_request',
      message: 'The body is not as long as its Content-Length says.',
    });
  expect((await send(100)).statusCode).toBe(200);
});

test('limits unfinished bodies of anonymous callers without affecting authenticated callers', async () => {
  const half = Array.from({ length: 40 }, (_, index) => {
    const socket = open('/api/v1/enter', 64_000, {}, `127.0.1.${index % 8}`);
    socket.write('x'.repeat(50_000));
    return socket;
  });
  const all = Promise.all(half.map(readResponse));
  await sleep(200);
  const authenticated = open('/api/v1/upload', 3 * MiB, { ...key.headers });
  authenticated.write(json(3 * MiB));
  expect((await readResponse(authenticated)).status).toBe(200);
  const statuses = (await all).map(({ status }) => status);
  // Four bodies fit at once. The others get 503, and the four time out with 400 when no further byte arrives.
  expect(new Set(statuses)).toEqual(new Set([503, 400]));
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(20);
  for (const socket of [...half, authenticated]) socket.destroy();
});

test('one authenticated caller cannot use the whole body budget', async () => {
  const half = Array.from({ length: 3 }, () => {
    const socket = open('/api/v1/upload', 4 * MiB, { ...key.headers });
    socket.write('x'.repeat(2 * MiB));
    return socket;
  });
  expect((await Promise.all(half.map(readResponse))).map(({ status }) => status).sort()).toEqual([400, 400, 503]);
  for (const socket of half) socket.destroy();
});

test('times out a slow body and slow headers', async () => {
  const slow = open('/api/v1/upload', 4 * MiB, { ...key.headers });
  const trickle = setInterval(() => slow.write('x'), 100);
  expect(await readResponse(slow)).toEqual({ status: 400, code: 'invalid_request' });
  clearInterval(trickle);
  const headless = connect(port, '127.0.0.1');
  headless.write('POST /api/v1/upload HTTP/1.1\r\nhost: x');
  expect((await readResponse(headless)).status).toBe(400);
  for (const socket of [slow, headless]) socket.destroy();
});

test('closes a connection that sent invalid HTTP even if the client keeps sending', async () => {
  const sockets = [
    'nonsense\r\n\r\n',
    'POST /api/v1/upload HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n',
  ].map((text) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    socket.write(text);
    const more = setInterval(() => socket.write('x'.repeat(1_000)), 50);
    socket.once('close', () => clearInterval(more));
    return socket;
  });
  expect((await Promise.all(sockets.map(readResponse))).map(({ status }) => status)).toEqual([400, 400]);
  await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

test('rejects a compressed body with 400 without decompressing it', async () => {
  const bombs = await makeBombs();
  const growth = await growthDuring(async () => {
    for (const { encoding, bytes } of bombs) {
      const answer = await server.fastify.inject({
        method: 'POST',
        url: '/api/v1/upload',
        headers: { ...key.headers, 'content-type': 'application/json', 'content-encoding': encoding },
        payload: bytes,
      });
      expect([encoding, answer.statusCode, answer.json().error.code]).toEqual([encoding, 400, 'invalid_request']);
    }
  });
  expect(growth).toBeLessThan(bombBytes / 2);
});
