import { createServer as createTcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createOutbound } from './index.ts';
import {
  closeAfterTest,
  closeOpened,
  fixedResolver,
  listen,
  local,
  loopbackTargets,
  serve,
} from './testing/harness.ts';

afterEach(closeOpened);

async function post(outbound: ReturnType<typeof local>, url: string, count = 1) {
  const lane = await (await outbound.openLine(url)).openLane();
  const statuses: number[] = [];
  for (let one = 0; one < count; one += 1) {
    const { sent, answer } = lane.send({ method: 'POST', body: `body ${one}` });
    await sent;
    statuses.push((await answer).status);
  }
  lane.end();
  return { statuses, lane };
}

test('a line reuses one connection for sequential requests and for the next line, and queries DNS for each line', async () => {
  const sockets = new Set<unknown>();
  const base = await serve((request, response) => {
    sockets.add(request.socket);
    request.resume().on('end', () => response.end('ok'));
  });
  const resolver = fixedResolver('127.0.0.1');
  const outbound = local({ resolver });
  closeAfterTest(() => outbound.close());
  expect((await post(outbound, base, 3)).statuses).toEqual([200, 200, 200]);
  expect((await post(outbound, base)).lane.isUsed).toBe(true);
  expect([sockets.size, resolver.queries]).toEqual([1, 2]);
});

test('closes a kept connection to an address that the name no longer has', async () => {
  const sockets = new Set<unknown>();
  const base = await serve((request, response) => {
    sockets.add(request.socket);
    request.resume().on('end', () => response.end('ok'));
  });
  let addresses = ['127.0.0.1'];
  const resolver = { resolve4: async () => addresses, resolve6: async () => [] };
  const outbound = createOutbound({ timeoutMs: 1_000, resolver, policy: { ...loopbackTargets, admits: () => true } });
  closeAfterTest(() => outbound.close());
  await post(outbound, base);
  addresses = ['127.0.0.2'];
  await post(outbound, base).catch(() => {});
  expect(sockets.size).toBe(1);
  addresses = ['10.0.0.1'];
  const strict = createOutbound({ timeoutMs: 1_000, resolver });
  await expect(strict.openLine('https://hooks.test/')).rejects.toMatchObject({ reason: 'address_not_public' });
});

test('reaches a local host only if it is listed in localHosts', async () => {
  const base = await serve((request, response) => void request.resume().on('end', () => response.end('ok')));
  const url = base.replace('hooks.test', 'localhost');
  const outbound = createOutbound({ timeoutMs: 1_000, localHosts: ['localhost'] });
  closeAfterTest(() => outbound.close());
  expect(await outbound.checkTarget(url)).toEqual({ allowed: true });
  expect((await post(outbound, url)).statuses).toEqual([200]);
  for (const other of [
    base.replace('hooks.test', '127.0.0.1'),
    'http://169.254.169.254/',
    'https://127.0.0.1/',
    'http://localhost.example.com/',
  ])
    expect(await outbound.checkTarget(other)).toMatchObject({ allowed: false });
  expect(await createOutbound({ timeoutMs: 1_000 }).checkTarget(url)).toMatchObject({ allowed: false });
});

test('times out on a silent receiver, and cuts off an endless response after its status', async () => {
  const port = await listen(createTcpServer((socket) => void socket.on('error', () => {})));
  const outbound = local({ resolver: fixedResolver('127.0.0.1'), timeoutMs: 100 });
  closeAfterTest(() => outbound.close());
  const lane = await (await outbound.openLine(`http://127.0.0.1:${port}/`)).openLane();
  await expect(lane.send({ method: 'POST', body: 'x' }).answer).rejects.toMatchObject({ reason: 'timeout' });
  expect(lane.isOpen).toBe(false);
  const base = await serve((_request, response) => {
    response.writeHead(200);
    const writing = setInterval(() => response.write('x'.repeat(65_536)), 1);
    response.on('close', () => clearInterval(writing));
  });
  const { statuses, lane: endless } = await post(local(), base);
  expect([statuses, endless.isOpen]).toEqual([[200], false]);
});
