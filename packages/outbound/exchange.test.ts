import { once } from 'node:events';
import { createServer as createTcpServer, connect as netConnect } from 'node:net';
import { bombBytes, growthDuring, makeBombs } from '@tributary/testkit/bombs';
import { afterEach, describe, expect, test } from 'vitest';
import { exchange } from './exchange.ts';
import { createOutbound } from './index.ts';
import { readTarget } from './target.ts';
import {
  closed,
  closeOpened,
  dnsResolver,
  listen,
  local,
  loopbackTargets,
  recorder,
  serve,
} from './testing/harness.ts';

afterEach(closeOpened);

describe('limits', () => {
  // Long enough for a busy machine to send the request.
  const short = { timeoutMs: 800 };
  const never = new Promise<never>(() => {});

  test('times out on a receiver that never answers or sends slowly', async () => {
    const ends: Promise<void>[] = [];
    const base = await serve((request, response) => {
      ends.push(closed(request.socket));
      if (request.url !== '/drip') return;
      const drip = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(drip));
    });
    await expect(local().request(`${base}/silent`, short)).rejects.toMatchObject({ reason: 'timeout' });
    await expect(local().request(`${base}/drip`, short)).rejects.toMatchObject({ reason: 'timeout' });
    await Promise.all(ends);
    expect(ends).toHaveLength(2);
  });

  test('times out on a stalled TLS handshake', async () => {
    const ends: Promise<void>[] = [];
    const port = await listen(createTcpServer((socket) => ends.push(closed(socket.on('error', () => {}).resume()))));
    await expect(local().request(`https://hooks.test:${port}/`, short)).rejects.toMatchObject({ reason: 'timeout' });
    await Promise.all(ends);
    expect(ends).toHaveLength(1);
  });

  test('times out on a silent DNS server and on a connection that does not open', async () => {
    const resolver = await dnsResolver(() => undefined);
    const silent = createOutbound({ ...short, resolver, connect: recorder().connect });
    await expect(silent.request('https://silent.test/')).rejects.toMatchObject({ reason: 'timeout' });
    expect(await silent.checkTarget('https://silent.test/')).toMatchObject({ reason: 'address_not_public' });
    await expect(local({ connect: () => never }).request('http://hooks.test/', short)).rejects.toMatchObject({
      reason: 'timeout',
    });
  });

  test('rejects with the reason of the caller’s signal', async () => {
    const base = await serve(() => {});
    const controller = new AbortController();
    const pending = local().request(base, { signal: controller.signal });
    controller.abort(new Error('shutting down'));
    await expect(pending).rejects.toThrow('shutting down');
    await expect(local().request(base, { signal: controller.signal })).rejects.toThrow('shutting down');
  });

  test('truncates an endless response at maxResponseBytes and closes the connection', async () => {
    const ends: Promise<void>[] = [];
    const base = await serve((request, response) => {
      ends.push(closed(request.socket));
      const pour = () => {
        while (response.write('x'.repeat(1_000)) && !response.destroyed);
      };
      response.on('drain', pour);
      pour();
    });
    const answer = await local({ maxResponseBytes: 5_000 }).request(base);
    expect([answer.status, answer.body.length, answer.truncated]).toEqual([200, 5_000, true]);
    expect((await local().request(base, { maxResponseBytes: 10 })).body).toHaveLength(10);
    await Promise.all(ends);
  });

  test('does not truncate a response of exactly maxResponseBytes', async () => {
    const base = await serve((_request, response) => response.end('12345'));
    expect(await local().request(base, { maxResponseBytes: 5 })).toMatchObject({ truncated: false });
    expect(await local().request(base, { maxResponseBytes: 4 })).toMatchObject({ truncated: true });
  });

  test('returns a compressed response without decompressing it', async () => {
    const bombs = await makeBombs();
    const base = await serve((request, response) => {
      const bomb = bombs.find(({ encoding }) => request.url === `/${encodeURIComponent(encoding)}`);
      response
        .writeHead(200, { 'content-encoding': bomb?.encoding, 'content-type': 'application/json' })
        .end(bomb?.bytes);
    });
    const grown = await growthDuring(async () => {
      for (const { encoding, bytes } of bombs) {
        const url = `${base}/${encodeURIComponent(encoding)}`;
        const answer = await local({ maxResponseBytes: 1 << 20 }).request(url);
        expect([encoding, answer.body.length, answer.truncated]).toEqual([encoding, bytes.length, false]);
        const line = await local().openLine(url);
        const lane = await line.openLane();
        expect(await lane.send({ method: 'POST', body: '{}' }).answer).toMatchObject({ status: 200 });
        lane.cut();
      }
    });
    expect(grown).toBeLessThan(bombBytes / 2);
  });

  test('rejects when the receiver hangs up or does not speak HTTP', async () => {
    const replies = ['', 'SSH-2.0-OpenSSH_9.6\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'];
    for (const reply of replies) {
      const port = await listen(createTcpServer((socket) => socket.on('error', () => {}).end(reply)));
      await expect(local().request(`http://hooks.test:${port}/`)).rejects.toMatchObject({
        reason: 'no_valid_response',
      });
    }
  });

  test('does not reconnect if the connection is lost before the request is sent', async () => {
    let connections = 0;
    const port = await listen(createTcpServer(() => (connections += 1)));
    const socket = netConnect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
    const { signal } = new AbortController();
    const target = readTarget(`http://127.0.0.1:${port}/`, loopbackTargets);
    await expect(exchange(target, socket, {}, 10, signal)).rejects.toMatchObject({ reason: 'no_valid_response' });
    await expect.poll(() => connections).toBe(1);
  });

  test("reports an invalid header as the caller's mistake and closes the connection", async () => {
    const ends: Promise<void>[] = [];
    const port = await listen(createTcpServer((socket) => ends.push(closed(socket.on('error', () => {}).resume()))));
    const pending = local().request(`http://hooks.test:${port}/`, { headers: { 'x-a': 'b\r\nx-c: d' } });
    await expect(pending).rejects.toMatchObject({ code: 'UND_ERR_INVALID_ARG' });
    await expect.poll(() => ends).toHaveLength(1);
    await Promise.all(ends);
  });
});
