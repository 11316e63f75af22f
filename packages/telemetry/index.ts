export type { Figure } from './figures.ts';
export { createLog, type Log } from './log.ts';
export { createMetrics, type Metrics, serveMetrics } from './metrics.ts';
export { checkReadiness, type Readiness } from './readiness.ts';
export type { RequestFacts } from './request-facts.ts';
export { onStop } from './stop.ts';
export { createTracing, type Tracing } from './tracing.ts';
export { createWorkMetrics } from './work-metrics.ts';
