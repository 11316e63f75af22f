import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { registerFigures } from './figures.ts';
import type { Figure, MetricsPage } from './metrics-types.ts';

export interface WorkMetrics extends MetricsPage {
  countFailure(work: string): void;
  /** Counts an unverified provider webhook whose signature turned out to be wrong. */
  countDroppedWebhook(channel: string): void;
}

/** Metrics of a worker process: the work that is queued, and how often it failed. */
export function createWorkMetrics(figures: Readonly<Record<string, Figure>>): WorkMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const failures = new Counter({
    name: 'tributary_work_failures_total',
    help: 'Pieces of work that failed, by kind; all but what is set aside is tried again',
    labelNames: ['work'],
    registers: [registry],
  });
  const dropped = new Counter({
    name: 'tributary_provider_webhooks_dropped_total',
    help: 'Provider webhooks stored unverified and dropped because of a wrong signature, by channel',
    labelNames: ['channel'],
    registers: [registry],
  });
  registerFigures(registry, figures);
  return {
    countFailure: (work) => failures.inc({ work }),
    countDroppedWebhook: (channel) => dropped.inc({ channel }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
