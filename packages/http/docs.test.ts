import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ErrorCode, errorEntry, errorExample, retries, routes } from '@tributary/contract';
import { docsUrl } from '@tributary/operations';
import { escapeHtml, html, prose } from '@tributary/pages';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveDocs } from './docs.ts';
import { errorPage, referenceUrl } from './docs-pages.ts';

const baseUrl = 'https://tributary.example';
let fastify: FastifyInstance;

beforeAll(() => {
  fastify = Fastify();
  fastify.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: { code: 'not_found' } }));
  serveDocs(fastify, { baseUrl, version: '1.2.3' });
});
afterAll(() => fastify.close());

const get = async (url: string, headers: Record<string, string> = {}) => fastify.inject({ url, headers });

describe('an error page', () => {
  test.each(ErrorCode.options)('%s has a page at its docs_url', async (code) => {
    const { status, title, meaning, whatToDo, retry, fields = {} } = errorEntry(code);
    const { pathname } = new URL(docsUrl(baseUrl, code));
    const { statusCode, body, headers } = await get(pathname);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body).toContain(`<h1>${escapeHtml(title)}</h1>`);
    expect(body).toMatch(new RegExp(`<code>${code}</code> <span>HTTP ${status} `));
    for (const sentence of [meaning, whatToDo]) expect(body).toContain(prose(sentence).text);
    expect(body).toContain(escapeHtml(retries[retry]));
    for (const field of Object.keys(fields)) expect(body).toContain(`<dt><code>${field}</code></dt>`);
    expect(body).toContain(escapeHtml(JSON.stringify(errorExample(code, baseUrl), null, 2)));
    expect(body.includes('Reserved: the name is kept')).toBe(errorEntry(code).reserved ?? false);
  });

  test('links to the operations that can return the code', async () => {
    const { body } = await get('/docs/errors/insufficient_scope');
    expect(body).toContain(`href="${referenceUrl(routes.readProfile)}"`);
    expect(body).not.toContain(routes.readChangelog.path);
    expect((await get('/docs/errors/media_expired')).body).toContain('<p>None.</p>');
  });

  test('lists all statuses of a code and marks required fields', async () => {
    expect((await get('/docs/errors/provider_error')).body).toContain(
      'HTTP 502 Bad Gateway or 503 Service Unavailable',
    );
    expect((await get('/docs/errors/profile_limit_reached')).body).toContain(
      '<dt><code>upgrade</code></dt><dd>Always.',
    );
    expect((await get('/docs/errors/unauthorized')).body).toContain('<dt><code>reason</code></dt><dd>Sometimes.');
  });

  test('returns 404 for an unknown code', async () => {
    for (const code of ['teapot', 'constructor', '<b>', 'NOT_FOUND']) {
      const { statusCode, json } = await get(`/docs/errors/${encodeURIComponent(code)}`);
      expect([statusCode, json()]).toEqual([404, { error: { code: 'not_found' } }]);
    }
  });

  test('escapes interpolated values', () => {
    const page = errorPage('not_found', { baseUrl: 'https://x/<script>', version: '<b>' });
    expect(page).not.toMatch(/<script>|<b>/);
    expect(page).toContain('https://x/&lt;script&gt;/docs/errors/not_found');
    expect(html`<a href="${`'"<&`}">${[html`<i>${'<i>'}</i>`, undefined, 7]}</a>`.text).toBe(
      '<a href="&#39;&quot;&lt;&amp;"><i>&lt;i&gt;</i>7</a>',
    );
    expect(prose('Send `Bearer <key>` & wait.').text).toBe('Send <code>Bearer &lt;key&gt;</code> &amp; wait.');
  });
});

test('the error index links to every code', async () => {
  const { statusCode, body } = await get('/docs/errors');
  expect(statusCode).toBe(200);
  const linked = [...body.matchAll(/href="\/docs\/errors\/(\w+)"/g)].map(([, code]) => code);
  expect(linked.sort()).toEqual([...ErrorCode.options].sort());
});

test('the home page links to all sections', async () => {
  const { statusCode, body } = await get('/api');
  expect(statusCode).toBe(200);
  for (const path of [
    '/',
    '/docs',
    '/docs/reference',
    '/docs/errors',
    '/healthz',
    '/api/v1/openapi.json',
    '/api/v1/changelog',
  ]) {
    expect(body).toContain(`href="${path}"`);
  }
  expect(body).toContain('Tributary 1.2.3');
});

test.each(['/api', '/docs/errors', '/docs/errors/not_found'])(
  '%s allows no script and only its own style',
  async (path) => {
    const { body, headers } = await get(path);
    const ours = /<style>([^<]*)<\/style>/.exec(body)?.[1] ?? '';
    const policy = headers['content-security-policy'];
    const hash = createHash('sha256').update(ours).digest('base64');
    expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}';`);
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(headers['cache-control']).toBe('public, max-age=300');
    expect(body).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(body).not.toMatch(/ style="|<script/);
  },
);

describe.each(['/api', '/docs/errors', '/docs/errors/not_found', '/docs/reference', '/docs/reference/scalar.js'])(
  '%s',
  (path) => {
    test.each([
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0', undefined, (bytes: Buffer) => bytes],
    ])(
      'is sent to a client that accepts %s encoded as %s, with an ETag per encoding',
      async (accepted, encoding, unpack) => {
        const plain = await get(path);
        const { headers, rawPayload } = await get(path, { 'accept-encoding': accepted });
        expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding']);
        expect(unpack(rawPayload).equals(plain.rawPayload)).toBe(true);
        expect(headers.etag === plain.headers.etag).toBe(encoding === undefined);
        for (const tags of [`${headers.etag}`, `"other", W/${headers.etag}`]) {
          const again = await get(path, { 'accept-encoding': accepted, 'if-none-match': tags });
          expect([again.statusCode, again.rawPayload.length, again.headers.etag]).toEqual([304, 0, headers.etag]);
        }
        expect((await get(path, { 'if-none-match': '"other"' })).statusCode).toBe(200);
      },
    );

    test('is compressed once and sent from the same buffer', async () => {
      const sent: unknown[] = [];
      const watched = Fastify();
      watched.addHook('onSend', async (_request, _reply, payload) => {
        sent.push(payload);
      });
      serveDocs(watched, { baseUrl });
      for (let times = 0; times < 2; times += 1)
        await watched.inject({ url: path, headers: { 'accept-encoding': 'br' } });
      await watched.close();
      expect(sent[0]).toBeInstanceOf(Buffer);
      expect(sent[1]).toBe(sent[0]);
    });
  },
);

describe('the reference', () => {
  test('allows only its own script and requests to its own origin', async () => {
    const { statusCode, body, headers } = await get('/docs/reference');
    expect(statusCode).toBe(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain(`connect-src 'self' ${baseUrl};`);
    expect(policy.match(/https?:[^ ;]*/g)).toEqual([baseUrl]);
    expect([...body.matchAll(/src="([^"]*)"/g)].map(([, src]) => src)).toEqual(['/docs/reference/scalar.js']);
    expect(body).not.toContain('http:');
    for (const path of ['/', '/docs', '/docs/errors']) expect(body, 'navigation').toContain(`href="${path}"`);
  });

  test('serves its script from the npm package, compressed if the client accepts it', async () => {
    const plain = await get('/docs/reference/scalar.js');
    expect(plain.statusCode).toBe(200);
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const packed = await get('/docs/reference/scalar.js', { 'accept-encoding': 'gzip' });
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
  });

  test('lets browsers cache that script for a day', async () => {
    expect((await get('/docs/reference/scalar.js')).headers['cache-control']).toBe('public, max-age=86400');
  });
});
