export { escapeHtml, Html, html, prose } from './html.ts';
