import { createHash, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ErrorCode } from '@tributary/contract';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { errorIndexPage, errorPage, homePage, type PageOptions, referencePage } from './docs-pages.ts';

export interface DocsOptions {
  readonly baseUrl: string;
  readonly version?: string | undefined;
}

/** The pages for integrators: the API's own page, the reference, and one page per error code, where every `docs_url` leads. */
export function serveDocs(fastify: FastifyInstance, { baseUrl, version }: DocsOptions): void {
  const send = (reply: FastifyReply, page: (options: PageOptions) => string) => {
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .headers(pageHeaders(`default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; ${shut}`))
      .send(page({ nonce, baseUrl, version }));
  };

  fastify.get('/api', async (_request, reply) => send(reply, homePage));
  fastify.get('/docs/errors', async (_request, reply) => send(reply, errorIndexPage));
  fastify.get<{ Params: { code: string } }>('/docs/errors/:code', async (request, reply) => {
    const code = ErrorCode.safeParse(request.params.code);
    if (!code.success) return reply.callNotFound();
    return send(reply, (options) => errorPage(code.data, options));
  });

  fastify.get('/docs/reference', async (_request, reply) =>
    reply.headers(pageHeaders(referencePolicy(baseUrl))).send(reference),
  );
  fastify.get('/docs/reference/scalar.js', async (request, reply) => {
    const { plain, gzipped, etag } = await scalarScript();
    reply.headers({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      etag,
    });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(plain);
    return reply.header('content-encoding', 'gzip').send(gzipped);
  });
}

const reference = referencePage();

const shut = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Scalar writes styles into the page as it goes. Its "try it" calls the API under its canonical address, and nobody else. */
const referencePolicy = (baseUrl: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self' ${new URL(baseUrl).origin}`,
    shut,
  ].join('; ');

const pageHeaders = (policy: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cache-control': 'public, max-age=300',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

interface Script {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

let script: Promise<Script> | undefined;

/**
 * Scalar's package keeps its browser bundle (4 MB) inside a Fastify plugin that can only serve it beside a page of its own, whose
 * one nonce never changes. So we ask that plugin once for the bundle, when somebody first opens the reference, and keep the bytes.
 */
function scalarScript(): Promise<Script> {
  script ??= loadScalarScript();
  return script;
}

async function loadScalarScript(): Promise<Script> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const shelf = Fastify();
  await shelf.register(scalar, { routePrefix: '/shelf', configuration: { url: '/unused' } });
  const { rawPayload: plain, statusCode } = await shelf.inject('/shelf/js/scalar.js');
  await shelf.close();
  if (statusCode !== 200) throw new Error(`Scalar's plugin did not give its script: ${statusCode}.`);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, gzipped: await promisify(gzip)(plain), etag };
}
