import { createHash } from 'node:crypto';
import { ErrorCode } from '@tributary/contract';
import { type Costs, payerOf } from '@tributary/operations';
import { packDocument, type StaticDocument } from '@tributary/pages';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorIndexPage, errorPage, homePage, type PageOptions, referencePage, style } from './docs-pages.ts';
import { sendDocument } from './send-document.ts';

export interface DocsOptions {
  readonly baseUrl: string;
  readonly costs?: Costs | undefined;
  readonly version?: string | undefined;
}

/** Serves the pages for integrators: the API home page, the reference, and the page of each error code that `docs_url` links to. */
export function serveDocs(fastify: FastifyInstance, { baseUrl, version, costs }: DocsOptions): void {
  const documents = new Map<string, Promise<StaticDocument>>();
  /** Generated on the first request. */
  const getDocument = (name: string, make: () => string | Promise<Buffer>) => {
    const packed = documents.get(name) ?? Promise.resolve(make()).then(packDocument);
    documents.set(name, packed);
    packed.catch(() => documents.delete(name));
    return packed;
  };
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    document: Promise<StaticDocument>,
    headers: Readonly<Record<string, string>>,
  ) => {
    const payer = payerOf(undefined, request.ip);
    costs?.admit(payer);
    return sendDocument(request, reply, await document, headers, (bytes) => costs?.takeBytes(payer, bytes));
  };
  const getPage = (name: string, page: (options: PageOptions) => string) =>
    getDocument(name, () => page({ baseUrl, version }));
  const headers = pageHeaders(policy);

  fastify.get('/api', (request, reply) => send(request, reply, getPage('home', homePage), headers));
  fastify.get('/docs/errors', (request, reply) => send(request, reply, getPage('errors', errorIndexPage), headers));
  fastify.get<{ Params: { code: string } }>('/docs/errors/:code', async (request, reply) => {
    const code = ErrorCode.safeParse(request.params.code);
    if (!code.success) return reply.callNotFound();
    const page = getPage(`errors/${code.data}`, (options) => errorPage(code.data, options));
    return send(request, reply, page, headers);
  });

  fastify.get('/docs/reference', async (request, reply) =>
    send(request, reply, getDocument('reference', referencePage), pageHeaders(referencePolicy(baseUrl))),
  );
  fastify.get('/docs/reference/scalar.js', async (request, reply) =>
    send(request, reply, getDocument('scalar.js', loadScalarScript), {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
    }),
  );
}

const lockedDown = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:; ${lockedDown}`;

/** Scalar writes inline styles. Its "try it" panel may call only the API at its canonical address. */
const referencePolicy = (baseUrl: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self' ${new URL(baseUrl).origin}`,
    lockedDown,
  ].join('; ');

const pageHeaders = (policy: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cache-control': 'public, max-age=300',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

/**
 * Scalar's package keeps its browser bundle (4 MB) inside a Fastify plugin that only serves it with a page of its own, whose
 * nonce never changes. The first request to the reference reads the bundle from that plugin once and keeps the bytes.
 */
async function loadScalarScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const host = Fastify();
  await host.register(scalar, { routePrefix: '/host', configuration: { url: '/unused' } });
  const { rawPayload: plain, statusCode } = await host.inject('/host/js/scalar.js');
  await host.close();
  if (statusCode !== 200) throw new Error(`Scalar's plugin did not give its script: ${statusCode}.`);
  return plain;
}
