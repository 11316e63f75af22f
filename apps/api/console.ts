import { existsSync } from 'node:fs';
import { join } from 'node:path';
import files from '@fastify/static';
import { firstAccountPath } from '@tributary/domain/tenancy/accounts/module.ts';
import type { FastifyInstance } from 'fastify';

/** Paths of the console's client-side router: all serve the same page. */
const addresses = [
  '/',
  '/sign-in',
  '/account',
  '/shared',
  '/invitation',
  '/forgot-password',
  '/reset-password',
  '/p/*',
];

/** Allows only scripts, styles and requests of our own origin, and no framing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Blob URLs are pictures of ads that the console's script fetched from the API.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the console's built files. Without them, / redirects to the API's home page. */
export async function serveConsole(
  fastify: FastifyInstance,
  directory: string | undefined,
  isWithoutAccounts: () => Promise<boolean>,
): Promise<void> {
  if (!directory || !existsSync(join(directory, 'index.html'))) {
    fastify.get('/', async (_request, reply) => reply.redirect('/api'));
    return;
  }
  await fastify.register(files, {
    root: join(directory, 'assets'),
    prefix: '/assets/',
    preCompressed: true,
    dotfiles: 'ignore',
    // File names contain a content hash.
    maxAge: '365d',
    immutable: true,
  });
  for (const address of addresses) {
    fastify.get(address, async (_request, reply) => {
      // Without any account no one can sign in, so the browser goes to the first-account page. If the ledger is down, the console
      // reports it.
      if (await isWithoutAccounts().catch(() => false)) return reply.redirect(firstAccountPath);
      return reply
        .headers({
          'content-security-policy': policy,
          // Always revalidated, because it references the hashed files of the current version.
          'cache-control': 'no-cache',
          'referrer-policy': 'same-origin',
        })
        .sendFile('index.html', directory, { cacheControl: false });
    });
  }
}
