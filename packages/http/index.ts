export { type Binding, bindRoute, untilSent } from './bind.ts';
export { type DocsOptions, serveDocs } from './docs.ts';
export { isFromOurPages } from './forgery.ts';
export { serveHealth } from './health.ts';
export type { BodyLimits } from './read-body.ts';
export { createServer, type ServerOptions } from './server.ts';
