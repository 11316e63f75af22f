export { type Authenticate, type Binding, bindRoute, type Presented } from './bind.ts';
export { type DocsOptions, serveDocs } from './docs.ts';
export { answer, type Caller, type Context, type Handles, Refusal, refuse } from './handler.ts';
export { type Readiness, serveHealth } from './health.ts';
export { createLog, type Log } from './log.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { createServer, type ServerOptions } from './server.ts';
export { onStop } from './stop.ts';
