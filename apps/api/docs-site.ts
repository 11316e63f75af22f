import { existsSync } from 'node:fs';
import { join } from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Nothing that is not ours, and no script or style inside a page. */
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

/** Serves the built pages of the documentation. An API without them leads to its reference instead. */
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
        // Asked for again each time, and answered with 304: names of files do not change with what is in them.
        'cache-control': 'no-cache',
      });
    },
  });
}
