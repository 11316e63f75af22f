import { checkReadiness, type Readiness } from '@tributary/telemetry';
import type { FastifyInstance } from 'fastify';

/**
 * /healthz: the process lives. /readyz: what it needs answers; a load balancer sends nothing here while it does not. It
 * is `degraded`, and still to be sent to, while something is away that it can do without.
 */
export function serveHealth(fastify: FastifyInstance, readiness: Readiness, isStopping: () => boolean): void {
  fastify.get('/healthz', async () => ({ status: 'ok' }));
  fastify.get('/readyz', async (_request, reply) => {
    const { status, body } = await checkReadiness(readiness, isStopping);
    reply.code(status);
    return body;
  });
}
