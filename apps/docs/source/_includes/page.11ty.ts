import { Html, html } from '@tributary/pages';
import { type Entry, readNavigation } from '../../pages.ts';

interface Page {
  /** The page's own HTML. */
  readonly content: string;
  readonly address: string;
}

/** One page of the site, without inline scripts or styles, which the Content-Security-Policy would block. */
export function render({ content, address }: Page): string {
  const groups = readNavigation();
  const title = /<h1[^>]*>(.*?)<\/h1>/s.exec(content)?.[1]?.replaceAll(/<[^>]+>/g, '') ?? 'Documentation';
  const order = groups.flatMap(({ entries }) => entries).filter((entry) => !entry.address.includes('#'));
  const at = order.findIndex((entry) => entry.address === address);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${new Html(title)} · Tributary</title>
<link rel="icon" type="image/svg+xml" href="/docs/assets/icon.svg">
<link rel="stylesheet" href="/docs/assets/site.css">
<script type="module" src="/docs/assets/site.js"></script>
</head>
<body>
<a class="skip" href="#page">To the page</a>
<header>
<a class="brand" href="/docs/"><img src="/docs/assets/icon.svg" alt="" width="24" height="24">Tributary</a>
<div class="search" role="search" hidden>
<input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
</div>
<nav aria-label="Elsewhere"><a href="/docs/reference">Reference</a><a href="/docs/errors">Errors</a><a href="/">Console</a></nav>
</header>
<div class="columns">
<details class="contents" open>
<summary>All pages</summary>
<nav aria-label="Pages">${groups.map(
    ({ reader, entries }) => html`<h2>${reader}</h2><ul>${entries.map((entry) => item(entry, address))}</ul>`,
  )}</nav>
</details>
<main id="page">
${new Html(content)}
${at >= 0 && previousAndNext(order[at - 1], order[at + 1])}
</main>
${outline(content)}
</div>
</body>
</html>
`.text;
}

const item = ({ title, address }: Entry, current: string): Html =>
  html`<li><a href="${address}"${address === current && new Html(' aria-current="page"')}>${title}</a></li>`;

const previousAndNext = (before: Entry | undefined, after: Entry | undefined): Html =>
  html`<nav class="turn" aria-label="Next to this page">${before && html`<a rel="prev" href="${before.address}">${before.title}</a>`}${after && html`<a rel="next" href="${after.address}">${after.title}</a>`}</nav>`;

/** The outline of a page with at least three sections. */
function outline(content: string): Html {
  const headings = [...content.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/gs)];
  if (headings.length < 3) return html`<div></div>`;
  const items = headings.map(
    ([, id, text = '']) => html`<li><a href="#${id}">${new Html(text.replaceAll(/<[^>]+>/g, ''))}</a></li>`,
  );
  return html`<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${items}</ul></nav>`;
}
