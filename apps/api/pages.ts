import { takeFromAddress, takeRegistration } from '@tributary/operations';
import type { PageEndpoint } from '@tributary/pages';
import { addressGroup, hashValue, type RateLimiter } from '@tributary/redis';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface PageServer {
  readonly limiter: RateLimiter;
  readonly baseUrl: string;
  readonly now: () => Date;
}

/** Serves browser pages outside the API. Handlers use the web-standard Request and Response. */
export function servePages(
  fastify: FastifyInstance,
  { limiter, baseUrl, now }: PageServer,
  endpoints: readonly PageEndpoint[],
): void {
  for (const { method, path, allowance, maxBytes, sender, handle } of endpoints) {
    fastify.route({
      method,
      url: path,
      bodyLimit: maxBytes,
      config: { sender },
      onRequest: async (request) => {
        if (allowance === 'registration') await takeRegistration(limiter, request.ip);
        else await takeFromAddress(limiter, allowance, request.ip);
      },
      handler: async (request, reply) => {
        const visit = {
          params: request.params as Record<string, string>,
          addressHash: hashValue(addressGroup(request.ip).own),
          requestId: request.state.requestId,
          now: now(),
        };
        return send(reply, await handle(asWebRequest(request, baseUrl), visit));
      },
    });
  }
}

/** Builds the URL from our own base URL rather than the Host header, because signatures cover it. */
function asWebRequest(request: FastifyRequest, baseUrl: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const body = request.body as Buffer | undefined;
  const { method } = request;
  return new Request(new URL(request.url, baseUrl), {
    method,
    headers,
    ...(method !== 'GET' && body && { body: new Uint8Array(body) }),
  });
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value);
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie);
  return reply.code(response.status).send(Buffer.from(await response.arrayBuffer()));
}
