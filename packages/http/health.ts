import { type Readiness, readinessChecker } from '@tributary/telemetry';
import type { FastifyInstance } from 'fastify';

/**
 * /healthz: the process lives. /readyz: what it needs answers; a load balancer sends nothing here while it does not. It
 * is `degraded`, and still to be sent to, while something is away that it can do without. While it leaves, it answers and says so.
 */
export function serveHealth(fastify: FastifyInstance, readiness: Readiness, isStopping: () => boolean): void {
  // Who leaves keeps no connection: the next request of its sender goes to somebody who stays.
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
