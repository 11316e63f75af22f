import { randomBytes } from 'node:crypto';
import { type Html, html } from './html.ts';

export interface PageOptions {
  readonly status: number;
  readonly title: string;
  readonly language?: string;
  readonly body: readonly Html[];
  /** Where a form of the page may lead besides this host. */
  readonly formTarget?: URL | undefined;
  /**
   * Whether other hosts are told the address that somebody came from. `same-origin`: a form of ours says where it came from, and nobody
   * else learns it. `no-referrer`: the address itself is a secret.
   */
  readonly referrer?: 'same-origin' | 'no-referrer';
}

/** A page for a person: no script, nothing from elsewhere, in nobody's frame. */
export function pageResponse({ status, title, language = 'en', body, ...options }: PageOptions): Response {
  const nonce = randomBytes(16).toString('base64url');
  const document = html`<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title} · Tributary</title>
<style nonce="${nonce}">
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 26rem; margin: 10vh auto; padding: 0 1rem; color-scheme: light dark; }
  label { display: block; margin: 1rem 0; }
  input:not([type=checkbox]), select { display: block; width: 100%; box-sizing: border-box; padding: 0.5rem; font: inherit; }
  button, .button { font: inherit; padding: 0.5rem 1.25rem; margin-right: 0.5rem; }
  .button { display: inline-block; border-radius: 0.25rem; background: #14532d; color: #fff; text-decoration: none; }
  .button:focus-visible { outline: 0.2rem solid; outline-offset: 0.2rem; }
  .problem { border-left: 0.25rem solid #c33; padding-left: 0.75rem; }
</style>
<main>
${body}
</main>
</html>`;
  return new Response(document.text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'${source(options.formTarget)}; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': options.referrer ?? 'same-origin',
      'x-frame-options': 'DENY',
    },
  });
}

/** A form may also lead where its answer redirects to; a client on one's own machine may have a scheme of its own. */
const source = (url: URL | undefined): string =>
  url === undefined ? '' : ` ${url.origin === 'null' ? url.protocol : url.origin}`;
