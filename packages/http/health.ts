import { type Readiness, readinessChecker } from '@tributary/telemetry';
import type { FastifyInstance } from 'fastify';

/**
 * /healthz: the process is alive. /readyz: its required dependencies answer; a load balancer stops sending requests while they do
 * not. The status is `degraded`, and still ready, while an optional dependency is down. During shutdown it reports `stopping`.
 */
export function serveHealth(fastify: FastifyInstance, readiness: Readiness, isStopping: () => boolean): void {
  // A stopping process closes keep-alive connections, so that clients send the next request to another process.
  fastify.addHook('onRequest', (_request, reply, done) => {
    if (isStopping()) reply.raw.shouldKeepAlive = false;
    done();
  });
  const check = readinessChecker(readiness, isStopping);
  fastify.get('/healthz', async () => ({ status: 'ok' }));
  fastify.get('/readyz', async (_request, reply) => {
    const { status, body } = await check();
    reply.code(status);
    return body;
  });
}
