import { createHash } from 'node:crypto';
import { ErrorCode } from '@tributary/contract';
import { packDocument, type StaticDocument } from '@tributary/pages';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorIndexPage, errorPage, homePage, type PageOptions, referencePage, style } from './docs-pages.ts';
import { sendDocument } from './send-document.ts';

export interface DocsOptions {
  readonly baseUrl: string;
  readonly version?: string | undefined;
}

/** The pages for integrators: the API's own page, the reference, and one page per error code, where every `docs_url` leads. */
export function serveDocs(fastify: FastifyInstance, { baseUrl, version }: DocsOptions): void {
  const documents = new Map<string, Promise<StaticDocument>>();
  /** Made when it is first asked for. */
  const documentOf = (name: string, make: () => string | Promise<Buffer>) => {
    const made = documents.get(name) ?? Promise.resolve(make()).then(packDocument);
    documents.set(name, made);
    made.catch(() => documents.delete(name));
    return made;
  };
  const servePage = async (request: FastifyRequest, reply: FastifyReply, page: (options: PageOptions) => string) => {
    const name = request.url.split('?', 1)[0] ?? '';
    return sendDocument(request, reply, await documentOf(name, () => page({ baseUrl, version })), pageHeaders(policy));
  };

  fastify.get('/api', (request, reply) => servePage(request, reply, homePage));
  fastify.get('/docs/errors', (request, reply) => servePage(request, reply, errorIndexPage));
  fastify.get<{ Params: { code: string } }>('/docs/errors/:code', async (request, reply) => {
    const code = ErrorCode.safeParse(request.params.code);
    if (!code.success) return reply.callNotFound();
    return servePage(request, reply, (options) => errorPage(code.data, options));
  });

  fastify.get('/docs/reference', async (request, reply) =>
    sendDocument(request, reply, await documentOf('reference', referencePage), pageHeaders(referencePolicy(baseUrl))),
  );
  fastify.get('/docs/reference/scalar.js', async (request, reply) =>
    sendDocument(request, reply, await documentOf('scalar.js', loadScalarScript), {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
    }),
  );
}

const shut = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:; ${shut}`;

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

/**
 * Scalar's package keeps its browser bundle (4 MB) inside a Fastify plugin that can only serve it beside a page of its own, whose
 * one nonce never changes. So we ask that plugin once for the bundle, when somebody first opens the reference, and keep the bytes.
 */
async function loadScalarScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const shelf = Fastify();
  await shelf.register(scalar, { routePrefix: '/shelf', configuration: { url: '/unused' } });
  const { rawPayload: plain, statusCode } = await shelf.inject('/shelf/js/scalar.js');
  await shelf.close();
  if (statusCode !== 200) throw new Error(`Scalar's plugin did not give its script: ${statusCode}.`);
  return plain;
}
