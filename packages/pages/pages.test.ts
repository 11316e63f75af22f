import { expect, test } from 'vitest';
import { chooseLanguage, html, pageResponse } from './index.ts';

test.each([
  [null, 'en'],
  ['', 'en'],
  ['es', 'es'],
  ['es-CL,es;q=0.9,en;q=0.8', 'es'],
  ['en-US,en;q=0.9,es;q=0.8', 'en'],
  ['en;q=0.1, ES-mx;q=0.2', 'es'],
  ['fr-FR,fr;q=0.9,es;q=0.3', 'es'],
  ['fr, de', 'en'],
  ['es;q=0, en;q=0', 'en'],
  ['es;q=x,en;q=0.1', 'en'],
  [','.repeat(5_000), 'en'],
])('Accept-Language "%s" selects %s', (accepted, language) => {
  expect(chooseLanguage(accepted, ['en', 'es'])).toBe(language);
});

test('a page runs no script, loads nothing, cannot be framed, and escapes its values', async () => {
  const response = pageResponse({ status: 200, title: '<b>', language: 'es', body: [html`<h1>${'<script>'}</h1>`] });
  const text = await response.text();
  expect(text).toContain('<html lang="es">');
  expect(text).toContain('<h1>&lt;script&gt;</h1>');
  expect(text).not.toContain('<script');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; style-src 'nonce-[\w-]{22}'; form-action 'self'; /);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/script-src|unsafe|https?:/);
});

test('a page loads a widget only from its own sources, and no script without a nonce', async () => {
  const widget = { scriptUrl: 'https://js.bank.test/v1/', sources: ['https://js.bank.test', 'https://*.bank.test'] };
  const response = pageResponse({ status: 200, title: 'Bank', body: [], script: 'start();', widget });
  const policy = response.headers.get('content-security-policy') ?? '';
  const [, nonce = ''] =
    /script-src 'nonce-([^']+)' https:\/\/js\.bank\.test https:\/\/\*\.bank\.test;/.exec(policy) ?? [];
  expect(nonce).not.toBe('');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain('frame-src https://js.bank.test https://*.bank.test;');
  const scripts = (await response.text()).match(/<script[^>]*>/g);
  expect(scripts).toEqual([`<script nonce="${nonce}" src="https://js.bank.test/v1/">`, `<script nonce="${nonce}">`]);
});
