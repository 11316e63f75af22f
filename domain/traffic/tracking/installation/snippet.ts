import { links } from '@tributary/contract';
import type { Installation } from './installation.ts';

/** Queues calls that the page makes before the tracker has loaded. */
export const prelude =
  'window.tributary=window.tributary||function(){(window.tributary.q=window.tributary.q||[]).push(arguments)};';

/** Builds the tag to paste into a page. */
export function buildSnippet({ key, origin, isConsentRequired }: Installation): string {
  const consent = isConsentRequired ? ' data-consent="required"' : '';
  return `<!-- Tributary -->
<script>${prelude}</script>
<script async src="${escapeHtml(links.trackerScript(origin))}" data-key="${escapeHtml(key)}"${consent}></script>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] as string);
