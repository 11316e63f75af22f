import { STATUS_CODES } from 'node:http';
import { ErrorCode, errorEntry, errorExample, type Route, refusalsOf, retries, routes } from '@tributary/contract';
import { Html, html, prose } from '@tributary/pages';

export interface PageOptions {
  readonly baseUrl: string;
  readonly version?: string | undefined;
}

const allRoutes: readonly Route[] = Object.values(routes);

export function homePage(options: PageOptions): string {
  return layout(
    options,
    'Tributary',
    html`
      <h1>Tributary</h1>
      <p class="lead">Marketing attribution and customer journeys: which ad earned the money, explained to the cent.</p>
      <p>This is the API of a Tributary server, and it is answering.</p>
      <ul class="cards">
        ${card('/', 'Console', 'Reports, and what each of their numbers is made of.')}
        ${card('/docs', 'Guides', 'How to send data, read numbers and run it, with search.')}
        ${card('/docs/reference', 'Reference', 'Every operation, with its parameters, answers and refusals.')}
        ${card('/docs/errors', 'Errors', 'What each error code means, and what to do about it.')}
        ${card('/api/v1/changelog', 'Changelog', 'What changed, newest first. JSON.')}
        ${card('/api/v1/openapi.json', 'OpenAPI', 'The same reference for programs. JSON.')}
        ${card('/healthz', 'Health', 'Whether this server is alive. JSON.')}
      </ul>
    `,
  );
}

const card = (href: string, title: string, text: string) =>
  html`<li><a href="${href}"><strong>${title}</strong><span>${text}</span><code>${href}</code></a></li>`;

export function errorIndexPage(options: PageOptions): string {
  const inUse = ErrorCode.options.filter((code) => !errorEntry(code).reserved);
  const reserved = ErrorCode.options.filter((code) => errorEntry(code).reserved);
  const byStatus = Map.groupBy(inUse, (code) => errorEntry(code).status);
  return layout(
    options,
    'Errors',
    html`
      <h1>Errors</h1>
      <p class="lead">Every error is <code>{"error": {…}}</code>. Branch on its <code>code</code>: a code is never renamed.
      Show its <code>message</code> to people, and quote its <code>request_id</code> when you ask for help.</p>
      ${[...byStatus].sort(([a], [b]) => a - b).map(([status, codes]) => section(`${status} ${STATUS_CODES[status]}`, codes))}
      ${section('Reserved', reserved, 'Names kept for what this version does not do. No operation answers with them.')}
    `,
  );
}

function section(title: string, codes: readonly ErrorCode[], note?: string): Html {
  const rows = codes
    .toSorted()
    .map(
      (code) =>
        html`<dt><a href="/docs/errors/${code}"><code>${code}</code></a></dt><dd>${errorEntry(code).title}</dd>`,
    );
  return html`<h2>${title}</h2>${note && html`<p>${note}</p>`}<dl>${rows}</dl>`;
}

export function errorPage(code: ErrorCode, options: PageOptions): string {
  const { status, alternateStatuses = [], title, meaning, whatToDo, retry, fields, reserved } = errorEntry(code);
  const statuses = [status, ...alternateStatuses].map((each) => `${each} ${STATUS_CODES[each]}`).join(' or ');
  return layout(
    options,
    code,
    html`
      <h1>${title}</h1>
      <p class="lead"><code>${code}</code> <span>HTTP ${statuses}</span></p>
      ${reserved && html`<p class="note">Reserved: the name is kept for what this version does not do. No operation answers with it.</p>`}
      <h2>What happened</h2>
      <p>${prose(meaning)}</p>
      <h2>What to do</h2>
      <p>${prose(whatToDo)}</p>
      <h2>Sending it again</h2>
      <p>${retries[retry]}</p>
      ${fields && fieldList(fields)}
      <h2>Example</h2>
      <pre><code>${JSON.stringify(errorExample(code, options.baseUrl), null, 2)}</code></pre>
      <h2>Operations that can answer with it</h2>
      ${operationList(allRoutes.filter((route) => refusalsOf(route).includes(code)))}
    `,
  );
}

function fieldList(fields: NonNullable<ReturnType<typeof errorEntry>['fields']>): Html {
  const rows = Object.entries(fields).map(
    ([name, schema]) =>
      html`<dt><code>${name}</code></dt><dd>${schema.safeParse(undefined).success ? 'Sometimes.' : 'Always.'} ${schema.description}</dd>`,
  );
  return html`<h2>Fields of its own</h2><dl>${rows}</dl>`;
}

function operationList(operations: readonly Route[]): Html {
  if (operations.length === 0) return html`<p>None.</p>`;
  const rows = operations.map(
    (route) =>
      html`<li><a href="${referenceUrl(route)}">${route.summary}</a> <code>${route.method} ${route.path}</code></li>`,
  );
  return html`<ul class="operations">${rows}</ul>`;
}

/** The anchor of an operation in the reference: Scalar names anchors after chapter, method and path. */
export function referenceUrl({ chapter, method, path }: Route): string {
  return `/docs/reference#tag/${chapter.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}/${method}${path}`;
}

/** The console's logo. */
const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#0b7285" stroke-width="4" stroke-linecap="round"><path d="M7 5c0 8 9 8 9 16v7"/><path d="M25 5c0 8-9 8-9 16"/></svg>')}`;

/** The navigation bar of every page. */
const navigation = html`<nav aria-label="Main"><a class="brand" href="/docs">Tributary</a><a href="/docs">Guides</a><a href="/docs/reference">Reference</a><a href="/docs/errors">Errors</a><a href="/">Console</a></nav>`;

/** Scalar reserves the space of `--scalar-custom-header-height` above itself. */
const barStyle = `
:root { --scalar-custom-header-height: 44px; color-scheme: light dark; }
body { margin: 0; }
.bar { position: sticky; top: 0; z-index: 10; height: 44px; border-bottom: 1px solid #8884; background: Canvas; color: CanvasText; font: 15px/44px system-ui, sans-serif; }
.bar nav { display: flex; gap: 24px; padding: 0 24px; }
.bar a { color: inherit; text-decoration: none; opacity: .75; }
.bar a.brand { font-weight: 650; opacity: 1; }
.bar a:hover { text-decoration: underline; }
`;

/** The reference, rendered by Scalar from openapi.json. Everything that Scalar could fetch from other hosts is switched off. */
export function referencePage(): string {
  const configuration = {
    url: '/api/v1/openapi.json',
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    authentication: { preferredSecurityScheme: 'api_key' },
    showDeveloperTools: 'never',
    hiddenClients: { c: true, clojure: true, objc: true, ocaml: true, powershell: true, r: true, swift: true },
    metaData: { title: 'Reference · Tributary' },
  };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference · Tributary</title>
<link rel="icon" href="${icon}">
<style>${new Html(barStyle)}</style>
</head>
<body>
<header class="bar">${navigation}</header>
<noscript>This page needs JavaScript. The same in JSON: <a href="/api/v1/openapi.json">/api/v1/openapi.json</a></noscript>
<script id="api-reference" data-configuration="${JSON.stringify(configuration)}"></script>
<script src="/docs/reference/scalar.js"></script>
</body>
</html>
`.text;
}

function layout({ version }: PageOptions, title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === 'Tributary' ? title : `${title} · Tributary`}</title>
<link rel="icon" href="${icon}">
<style>${new Html(style)}</style>
</head>
<body>
<header>${navigation}</header>
<main>${body}</main>
<footer>Tributary${version && ` ${version}`}, open source under Apache-2.0</footer>
</body>
</html>
`.text;
}

/** The Content-Security-Policy allows it by hash, because a nonce would make the pages uncacheable. */
export const style = `
:root { color-scheme: light dark; --ink: #1b2430; --soft: #56606d; --line: #dde2e8; --tint: #f5f7f9; --link: #0b5f73; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaee; --soft: #a3adb8; --line: #333c46; --tint: #1c232b; --link: #7cc7d8; --paper: #12171d; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.25rem; }
nav { display: flex; gap: 1.5rem; align-items: baseline; padding-bottom: 1rem; border-bottom: 1px solid var(--line); }
nav a { color: var(--soft); text-decoration: none; }
nav .brand { color: var(--ink); font-weight: 650; }
main { padding-top: 2rem; padding-bottom: 3rem; }
footer { padding-bottom: 2rem; color: var(--soft); font-size: .875rem; }
a { color: var(--link); text-underline-offset: .2em; }
a:hover { text-decoration: underline; }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 3px; }
h1 { margin: 0 0 .5rem; font-size: 2rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { margin: 2rem 0 .5rem; font-size: 1.125rem; }
p { margin: .5rem 0; max-width: 40rem; }
code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .875em; overflow-wrap: anywhere; }
pre code { font-size: inherit; }
pre { margin: .5rem 0; padding: 1rem; background: var(--tint); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; }
.lead { color: var(--soft); font-size: 1.125rem; }
.lead span { white-space: nowrap; margin-left: .75rem; }
.note { padding: .75rem 1rem; background: var(--tint); border-left: 3px solid var(--link); }
dl { display: grid; grid-template-columns: minmax(min-content, 19rem) 1fr; margin: .5rem 0; }
dt, dd { margin: 0; padding: .4rem 1rem .4rem 0; border-top: 1px solid var(--line); }
/* An underline would hide the underscores. */
dt a { text-decoration: none; }
ul { padding: 0; list-style: none; }
.operations li { padding: .4rem 0; border-top: 1px solid var(--line); }
.operations code { color: var(--soft); margin-left: .5rem; }
.cards { display: grid; grid-template-columns: repeat(6, 1fr); gap: 1rem; margin: 2rem 0 0; }
.cards li { grid-column: span 2; }
.cards a { display: flex; flex-direction: column; height: 100%; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; color: inherit; text-decoration: none; }
.cards a:hover { border-color: var(--link); }
.cards strong { color: var(--link); }
.cards span { flex: 1; color: var(--soft); margin: .25rem 0 .75rem; }
@media (max-width: 40rem) { dl, .cards { display: block; } dd { border: 0; padding-top: 0; } .cards li { margin-bottom: 1rem; } }
`;
