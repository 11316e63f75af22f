import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createMetrics, serveMetrics } from './prometheus.ts';

test('counts requests and rejections by operation, status and code, and serves them on their own port', async () => {
  const metrics = createMetrics();
  metrics.observe({ route: undefined, errorCode: 'unauthorized' }, 401, 12);
  const server = await serveMetrics(metrics, '127.0.0.1', 0);
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const text = await (await fetch(`${address}/metrics`)).text();
    expect(text).toContain('tributary_request_duration_seconds_count{operation="none",status="401"} 1');
    expect(text).toContain('tributary_refusals_total{operation="none",code="unauthorized"} 1');
    expect((await fetch(`${address}/`)).status).toBe(404);
  } finally {
    server.close();
  }
});
