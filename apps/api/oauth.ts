import { type OAuthEndpoint, type OAuthOptions, oauthEndpoints } from '@tributary/domain/accounts/room.ts';
import { isFromOurPages } from '@tributary/http';
import { takeFromAddress, takeRegistration } from '@tributary/operations';
import { addressGroup, hidden, type RateLimiter } from '@tributary/redis';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Serves the OAuth endpoints, which speak in the web's own Request and Response. */
export function serveOAuth(
  fastify: FastifyInstance,
  limiter: RateLimiter,
  options: Omit<OAuthOptions, 'isFromOurPages'>,
): void {
  const { baseUrl } = options;
  const ours = (headers: Headers) => isFromOurPages(Object.fromEntries(headers), baseUrl);
  for (const endpoint of oauthEndpoints({ ...options, isFromOurPages: ours }))
    serveEndpoint(fastify, limiter, options, endpoint);
}

function serveEndpoint(
  fastify: FastifyInstance,
  limiter: RateLimiter,
  { baseUrl, now }: Pick<OAuthOptions, 'baseUrl' | 'now'>,
  { method, path, allowance, maxBytes, handle }: OAuthEndpoint,
): void {
  fastify.route({
    method,
    url: path,
    bodyLimit: maxBytes,
    onRequest: async (request) => {
      if (allowance === 'registration') await takeRegistration(limiter, request.ip);
      else await takeFromAddress(limiter, allowance, request.ip);
    },
    handler: async (request, reply) => {
      const addressHash = hidden(addressGroup(request.ip).own);
      const attempt = { addressHash, requestId: request.state.requestId, now: now() };
      return send(reply, await handle(asWebRequest(request, baseUrl), attempt));
    },
  });
}

/** Under our own address, whatever the Host header says: it becomes part of what is signed. */
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
