import { existsSync } from 'node:fs';
import { join } from 'node:path';
import files from '@fastify/static';
import { firstAccountPath } from '@tributary/domain/accounts/room.ts';
import type { FastifyInstance } from 'fastify';

/** The addresses of the console's own router: each of them is the same page, which then asks the API for what it shows. */
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

/** No script, style or answer that is not ours, and nobody's frame around it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // What the page's own script has fetched from the API: pictures of ads.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the console's built files. An API without them is complete: its own page stands in. */
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
    // Their names change with what is in them.
    maxAge: '365d',
    immutable: true,
  });
  for (const address of addresses) {
    fastify.get(address, async (_request, reply) => {
      // Nobody could sign in yet. While the ledger is away the page itself says so.
      if (await isWithoutAccounts().catch(() => false)) return reply.redirect(firstAccountPath);
      return reply
        .headers({
          'content-security-policy': policy,
          // Asked for again each time: it names the files that a new version brings.
          'cache-control': 'no-cache',
          'referrer-policy': 'same-origin',
        })
        .sendFile('index.html', directory, { cacheControl: false });
    });
  }
}
