import type { Figure, Metrics } from './counted.ts';

/** Counted and served at the port, or, where nobody reads them, not even counted: Prometheus' client is loaded for its readers only. */
export async function openMetrics(
  host: string,
  port: number | undefined,
  figures: Readonly<Record<string, Figure>> = {},
): Promise<Metrics> {
  if (port === undefined) return unread;
  const { createMetrics, serveMetrics } = await import('./prometheus.ts');
  const metrics = createMetrics(figures);
  await serveMetrics(metrics, host, port);
  return metrics;
}

const unread: Metrics = {
  observe: () => {},
  countLocalLimits: () => {},
  countUnexplained: () => {},
  countRefusedWebhook: () => {},
  countWebhook: () => {},
  countVisits: () => {},
  text: async () => '',
  contentType: 'text/plain',
};
