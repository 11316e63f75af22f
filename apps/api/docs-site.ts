import { existsSync } from 'node:fs';
import { join } from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Allows only our own origin, and no inline scripts or styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the built documentation pages. Without them, /docs redirects to the reference. */
export async function serveDocsSite(fastify: FastifyInstance, directory: string | undefined): Promise<void> {
  if (!directory || !existsSync(join(directory, 'index.html'))) {
    fastify.get('/docs', async (_request, reply) => reply.redirect('/docs/reference'));
    return;
  }
  fastify.get('/docs', async (_request, reply) => reply.redirect('/docs/', 301));
  await fastify.register(files, {
    root: directory,
    prefix: '/docs/',
    decorateReply: false,
    preCompressed: true,
    redirect: true,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: (reply) => {
      reply.headers({
        'content-security-policy': policy,
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        // Always revalidated: file names contain no content hash.
        'cache-control': 'no-cache',
      });
    },
  });
}
