import type { Figure, Metrics } from './metrics-types.ts';

/** Serves metrics at the port. Without a port nothing is counted and the Prometheus client is not loaded. */
export async function openMetrics(
  host: string,
  port: number | undefined,
  figures: Readonly<Record<string, Figure>> = {},
): Promise<Metrics> {
  if (port === undefined) return noMetrics;
  const { createMetrics, serveMetrics } = await import('./prometheus.ts');
  const metrics = createMetrics(figures);
  await serveMetrics(metrics, host, port);
  return metrics;
}

const noMetrics: Metrics = {
  observe: () => {},
  countLocalLimits: () => {},
  countUnexplained: () => {},
  countRefusedWebhook: () => {},
  countWebhook: () => {},
  countVisits: () => {},
  text: async () => '',
  contentType: 'text/plain',
};
