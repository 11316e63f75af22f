export { clockFigures, clockReadiness } from './clock.ts';
export { createLog, type Log, openLogFile } from './log.ts';
export { openMetrics } from './metrics.ts';
export type { Figure, Metrics } from './metrics-types.ts';
export { type Readiness, readinessChecker } from './readiness.ts';
export type { RequestFacts } from './request-facts.ts';
export { onStop } from './stop.ts';
export type { Tracing } from './tracing.ts';
