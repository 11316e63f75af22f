import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { registerFigures } from './figures.ts';
import type { Figure, Metrics, MetricsPage } from './metrics-types.ts';

export { createWorkMetrics } from './work-metrics.ts';

/** Labels are operation ids, statuses and codes: a bounded set without personal data. */
export function createMetrics(figures: Readonly<Record<string, Figure>> = {}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerFigures(registry, figures);
  const duration = new Histogram({
    name: 'tributary_request_duration_seconds',
    help: 'Time to answer a request',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'tributary_refusals_total',
    help: 'Requests that were refused, by error code',
    labelNames: ['operation', 'code'],
    registers: [registry],
  });
  const localLimits = new Counter({
    name: 'tributary_local_rate_limits_total',
    help: 'Rate limits decided without Redis, because it was away',
    registers: [registry],
  });
  const unexplained = new Counter({
    name: 'tributary_unexplained_changes_total',
    help: 'Changes of a figure whose causes do not add up to the difference: each is a fault of ours',
    registers: [registry],
  });
  const refusedWebhooks = new Counter({
    name: 'tributary_provider_webhooks_refused_total',
    help: 'Webhooks of connected providers that were answered with an error, by channel and status',
    labelNames: ['channel', 'status'],
    registers: [registry],
  });
  const webhooks = new Counter({
    name: 'tributary_provider_webhooks_total',
    help: 'Provider webhooks stored in the stream, by channel and whether the signature was verified',
    labelNames: ['channel', 'verified'],
    registers: [registry],
  });
  const visits = new Counter({
    name: 'tributary_collected_visits_total',
    help: 'Visits that are in the log, acceptedVisits ones and those that are kept as bad rows',
    labelNames: ['kind'],
    registers: [registry],
  });
  // Looking up a child metric by its labels costs more than counting.
  const [acceptedVisits, brokenVisits] = [visits.labels('accepted'), visits.labels('broken')];
  const children = new Map<string, { observe(value: number): void }>();
  return {
    observe(state, status, milliseconds) {
      const operation = state.route?.id ?? 'none';
      const name = `${operation} ${status}`;
      let child = children.get(name);
      if (!child) {
        child = duration.labels(operation, String(status));
        children.set(name, child);
      }
      child.observe(milliseconds / 1_000);
      if (state.errorCode) refusals.inc({ operation, code: state.errorCode });
    },
    countLocalLimits: () => localLimits.inc(),
    countUnexplained: () => unexplained.inc(),
    countRefusedWebhook: (channel, status) => refusedWebhooks.inc({ channel, status: String(status) }),
    countWebhook: (channel, isVerified) => webhooks.inc({ channel, verified: String(isVerified) }),
    countVisits(accepted, broken) {
      if (accepted > 0) acceptedVisits.inc(accepted);
      if (broken > 0) brokenVisits.inc(broken);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Serves metrics on a port of its own, which need not be public. */
export function serveMetrics(metrics: MetricsPage, host: string, port: number): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.text());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}
