import { randomBytes } from 'node:crypto';
import { Html, html } from './html.ts';

export interface PageOptions {
  readonly status: number;
  readonly title: string;
  readonly language?: string;
  readonly body: readonly Html[];
  /** A constant script that fills in what only the browser knows. It must not contain values from the request. */
  readonly script?: string;
  /** A script of another host that loads before the page's own. */
  readonly widget?: PageWidget;
  /** A form of the page may also redirect to this URL. */
  readonly formTarget?: URL | undefined;
  /**
   * Which Referer the browser sends. `same-origin`: our own forms see it, other hosts do not. `no-referrer`: the URL itself is a
   * secret.
   */
  readonly referrer?: 'same-origin' | 'no-referrer';
}

export interface PageWidget {
  readonly scriptUrl: string;
  /** Content-Security-Policy sources that the script may load frames and data from. */
  readonly sources: readonly string[];
}

const logo = html`<svg viewBox="0 0 32 32" fill="none" stroke-width="4" stroke-linecap="round" aria-hidden="true"><path d="M7 5c0 8 9 8 9 16v7"/><path d="M25 5c0 8-9 8-9 16"/></svg>`;

/**
 * Renders a page outside the console in the console's design. It loads nothing external, cannot be framed, and runs only the
 * given script.
 */
export function pageResponse({ status, title, language = 'en', body, ...options }: PageOptions): Response {
  const { script, widget } = options;
  const nonce = randomBytes(16).toString('base64url');
  const document = html`<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title} · Tributary</title>
<style nonce="${nonce}">
  :root { color-scheme: light dark; --ground: #f4f6f7; --paper: #fff; --ink: #18222c; --soft: #55616d; --line: #8793a0; --accent: #0b6478; --problem: #a3262b; }
  @media (prefers-color-scheme: dark) {
    :root { --ground: #0f1419; --paper: #161d24; --ink: #e5eaee; --soft: #a0acb7; --line: #66737f; --accent: #6cc5d8; --problem: #f0898c; }
  }
  body { font: 0.9375rem/1.6 ui-sans-serif, system-ui, sans-serif; background: var(--ground); color: var(--ink); max-width: 26rem; margin: 8vh auto; padding: 0 1rem; }
  header { display: flex; align-items: center; gap: 0.5rem; margin-bottom: 1.5rem; font-size: 1.125rem; font-weight: 600; }
  header svg { width: 1.5rem; height: 1.5rem; stroke: var(--accent); }
  main { background: var(--paper); border: 1px solid color-mix(in srgb, var(--line) 40%, transparent); border-radius: 0.5rem; padding: 1.5rem; }
  h1 { margin: 0 0 0.5rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
  a { color: var(--accent); }
  label { display: block; margin: 1rem 0; color: var(--soft); font-size: 0.8125rem; }
  input:not([type=checkbox]), select { display: block; width: 100%; box-sizing: border-box; margin-top: 0.25rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.375rem; background: var(--paper); color: var(--ink); font: inherit; font-size: 0.9375rem; }
  button, .button { display: inline-block; margin: 0.5rem 0.5rem 0 0; padding: 0.5rem 1.25rem; border: 1px solid var(--accent); border-radius: 0.375rem; background: var(--accent); color: var(--paper); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  .problem { border-left: 0.125rem solid var(--problem); padding-left: 0.75rem; color: var(--problem); }
</style>
<header>${logo} Tributary</header>
<main>
${body}
</main>
${widget ? html`<script nonce="${nonce}" src="${widget.scriptUrl}"></script>` : html``}
${script ? html`<script nonce="${nonce}">${new Html(script)}</script>` : html``}
</html>`;
  return new Response(document.text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'content-security-policy': `default-src 'none'; ${widget ? allowWidget(nonce, widget) : `style-src 'nonce-${nonce}';${script ? ` script-src 'nonce-${nonce}';` : ''}`} form-action 'self'${source(options.formTarget)}; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': options.referrer ?? 'same-origin',
      'x-frame-options': 'DENY',
    },
  });
}

/** Widgets write inline styles, which a nonce in `style-src` would block. */
function allowWidget(nonce: string, { sources }: PageWidget): string {
  const from = sources.join(' ');
  return `style-src 'unsafe-inline'; script-src 'nonce-${nonce}' ${from}; frame-src ${from}; connect-src ${from}; img-src ${from} data:;`;
}

/** A form may also post to where its response redirects; native clients use custom schemes. */
const source = (url: URL | undefined): string =>
  url === undefined ? '' : ` ${url.origin === 'null' ? url.protocol : url.origin}`;
