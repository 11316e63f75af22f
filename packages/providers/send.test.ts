import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { bombBytes, growthDuring, makeBombs } from '@tributary/testkit/bombs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ProviderFault } from './provider-fault.ts';
import { requestJson } from './request-json.ts';
import { openCall } from './send.ts';

test('a decompression bomb is a provider error and is not decompressed', async () => {
  const bombs = await makeBombs();
  const server = createServer((request, response) => {
    const bomb = bombs[Number(request.url?.slice(1))];
    response.writeHead(200, { 'content-encoding': bomb?.encoding }).end(bomb?.bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const call = openCall(
    createOutbound({ timeoutMs: 20_000, policy: localDevelopmentTargets }),
    new Date(),
    AbortSignal.timeout(60_000),
  );
  const faultOf = () => expect.unreachable();
  try {
    const growth = await growthDuring(async () => {
      for (const index of bombs.keys()) {
        const request = { method: 'GET', url: `http://127.0.0.1:${port}/${index}` } as const;
        const result: unknown = await requestJson(request, z.unknown(), call, faultOf).catch((error: unknown) => error);
        expect(result).toBeInstanceOf(ProviderFault);
        expect(result).toMatchObject({ details: { verdict: 'wait', code: 'unreadable_200' } });
      }
    });
    expect(growth).toBeLessThan(bombBytes / 2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
