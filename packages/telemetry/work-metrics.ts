import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { MetricsPage } from './metrics.ts';

/** Something that is counted when somebody asks. */
export interface Figure {
  readonly help: string;
  readonly read: () => Promise<number>;
}

export interface WorkMetrics extends MetricsPage {
  countFailure(work: string): void;
}

/** Of a process that answers nobody: how much waits for it, and how often what it did failed. */
export function createWorkMetrics(figures: Readonly<Record<string, Figure>>): WorkMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const failures = new Counter({
    name: 'tributary_work_failures_total',
    help: 'Pieces of work that failed and are tried again, by kind',
    labelNames: ['work'],
    registers: [registry],
  });
  for (const [name, { help, read }] of Object.entries(figures)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      // While an engine is away its figures are unknown, and the others still told.
      async collect() {
        this.set(await read().catch(() => Number.NaN));
      },
    });
  }
  return {
    countFailure: (work) => failures.inc({ work }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
