export { chooseForm, isCurrent, packDocument, type StaticDocument } from './document.ts';
export type { PageEndpoint, PageVisit } from './endpoint.ts';
export { escapeHtml, Html, html, prose } from './html.ts';
export { chooseLanguage } from './language.ts';
export { type PageOptions, type PageWidget, pageResponse } from './page.ts';
