import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { route } from '@tributary/contract';
import { answer } from '@tributary/operations';
import { openTestkit, serve, served, type Testkit, type TestServer } from '@tributary/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

const wait = route({
  id: 'wait',
  method: 'GET',
  path: '/api/v1/wait/{number}',
  summary: 'Wait',
  chapter: 'Test',
  access: { credentials: ['public'], grain: 'profile' },
  params: z.object({ number: z.coerce.number() }),
  answers: { 200: { schema: z.object({ number: z.number() }), bare: true } },
});

let kit: Testkit;
let server: TestServer;
let port: number;
let atOnce = 0;
let mostAtOnce = 0;
let begun = 0;
let waitMs = 0;
beforeAll(async () => {
  kit = await openTestkit();
  server = await serve(
    kit,
    [
      served(wait, async ({ params }) => {
        begun += 1;
        atOnce += 1;
        mostAtOnce = Math.max(mostAtOnce, atOnce);
        // Later requests would finish sooner if they ran concurrently.
        await sleep(waitMs + Math.max(0, 20 - params.number));
        atOnce -= 1;
        return answer(200, { number: params.number });
      }),
    ],
    { unlimited: true },
  );
  await server.fastify.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = server.fastify.server.address() as AddressInfo);
});
afterAll(async () => {
  await server.close();
  await kit.close();
});
beforeEach(() => {
  [mostAtOnce, begun, waitMs] = [0, 0, 0];
});

/** Sends all requests at once over one connection (pipelining). */
function pipeline(count: number) {
  const connection = connect(port, '127.0.0.1');
  const requests = Array.from({ length: count }, (_, number) => {
    const last = number === count - 1 ? 'connection: close\r\n' : '';
    return `GET /api/v1/wait/${number} HTTP/1.1\r\nhost: test\r\n${last}\r\n`;
  });
  connection.write(requests.join(''));
  return connection;
}

async function readAll(connection: ReturnType<typeof connect>): Promise<string> {
  let text = '';
  connection.on('data', (chunk) => {
    text += chunk;
  });
  await once(connection, 'close');
  return text;
}

test('serves pipelined requests of one connection one after the other', async () => {
  const text = await readAll(pipeline(40));
  const numbers = [...text.matchAll(/"number":(\d+)/g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, number) => number));
  expect(mostAtOnce).toBe(1);
});

test('rejects more than 100 pipelined requests with 429', async () => {
  const text = await readAll(pipeline(130));
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(101);
  expect(text.match(/HTTP\/1\.1 429/g)).toHaveLength(29);
});

test('does not start the pipelined requests of a client that hung up', async () => {
  waitMs = 100;
  const connection = pipeline(40);
  await expect.poll(() => begun).toBe(1);
  connection.destroy();
  await sleep(400);
  expect(begun).toBe(1);
});

test('serves different connections concurrently', async () => {
  waitMs = 50;
  await Promise.all([readAll(pipeline(2)), readAll(pipeline(2)), readAll(pipeline(2))]);
  expect(mostAtOnce).toBe(3);
});
