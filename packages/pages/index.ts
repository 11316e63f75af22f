export type { PageEndpoint, PageVisit } from './endpoint.ts';
export { escapeHtml, Html, html, prose } from './html.ts';
export { chooseLanguage } from './language.ts';
export { type PageOptions, pageResponse } from './page.ts';
