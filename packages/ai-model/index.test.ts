import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLanguageModel } from './index.ts';

let endpoint: Server;
let received: { url: string | undefined; headers: NodeJS.Dict<string | string[]>; body: unknown }[] = [];
let answer: { status: number; headers?: Record<string, string>; body: string };
beforeAll(async () => {
  endpoint = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    received.push({ url: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) });
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void endpoint.close());

const completion = (content: string) =>
  JSON.stringify({
    id: 'c-1',
    object: 'chat.completion',
    created: 1,
    model: 'small',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });

function modelWith(
  outbound = createOutbound({ timeoutMs: 2_000, maxResponseBytes: 4_096, policy: localDevelopmentTargets }),
) {
  received = [];
  const { port } = endpoint.address() as AddressInfo;
  return createLanguageModel({ baseUrl: `http://127.0.0.1:${port}/v1`, name: 'small', apiKey: 'sk-test', outbound });
}
const request = {
  instructions: 'Say it briefly.',
  material: 'a\nb',
  maxTokens: 50,
  signal: new AbortController().signal,
};

test('sends a chat completion with instructions apart from the material, and returns the text', async () => {
  answer = { status: 200, body: completion('Briefly.') };
  expect(await modelWith().write(request)).toBe('Briefly.');
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({
    url: '/v1/chat/completions',
    headers: { authorization: 'Bearer sk-test', 'accept-encoding': 'identity' },
    body: {
      model: 'small',
      max_tokens: 50,
      messages: [{ role: 'system', content: 'Say it briefly.' }, { role: 'user' }],
    },
  });
});

test('rejects a private address unless the operator has allowed it', async () => {
  answer = { status: 200, body: completion('Briefly.') };
  await expect(modelWith(createOutbound({ timeoutMs: 2_000 })).write(request)).rejects.toThrow();
  expect(received).toEqual([]);
});

test.each([
  ['an error status', { status: 429, body: '{"error":{"message":"slow down"}}' }],
  ['a malformed response', { status: 200, body: '<html>' }],
  ['a redirect', { status: 307, headers: { location: '/v1/elsewhere' }, body: '' }],
  ['an oversized response', { status: 200, body: completion('x'.repeat(5_000)) }],
])('%s rejects without a retry', async (_, bad) => {
  answer = bad;
  await expect(modelWith().write(request)).rejects.toThrow();
  expect(received).toHaveLength(1);
});

test('an aborted request rejects at once', async () => {
  answer = { status: 200, body: completion('Briefly.') };
  await expect(modelWith().write({ ...request, signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow();
});
