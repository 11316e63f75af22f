import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { data, route } from '@tributary/contract';
import { answer } from '@tributary/operations';
import { openTestkit, serve, served, type Testkit } from '@tributary/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createTracing } from './tracing.ts';

let kit: Testkit;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());

const hello = route({
  id: 'hello',
  method: 'GET',
  path: '/api/v1/hello',
  summary: 'Hello',
  chapter: 'Test',
  access: { credentials: ['public'], grain: 'profile' },
  rate: 'public',
  answers: { 200: { schema: data(z.strictObject({})), bare: true } },
});

test('a collector receives one span per request, named by operation and without its URL', async () => {
  const received: string[] = [];
  const collector = createServer(async (request, response) => {
    for await (const chunk of request) received.push(String(chunk));
    response.end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const tracing = await createTracing(`http://127.0.0.1:${(collector.address() as AddressInfo).port}`, 'test');
  const server = await serve(
    kit,
    [
      served(hello, async () =>
        answer(200, { data: {}, meta: { profile_id: '0198a000-0000-7000-8000-000000000000' } }),
      ),
    ],
    { tracing },
  );
  await server.fastify.inject('/api/v1/hello?q=jane%40example.com');
  await server.close();
  await tracing.stop();
  collector.close();
  const text = received.join('');
  expect(text).toContain('"name":"hello"');
  expect(text).toContain('http.response.status_code');
  expect(text).not.toMatch(/jane|example/);
});
