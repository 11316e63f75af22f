import { html, pageResponse } from '@tributary/pages';
import type { Told } from './handoff.ts';
import { type PageLanguage, pageWords } from './page-words.ts';

/** The pages of a hand-off. Their address is a secret, so no other host is told where somebody came from. */

interface Asking {
  readonly provider: string | undefined;
  readonly profile: string;
  readonly startPath: string;
  readonly expiresAt: Date;
  readonly returnUrl: string | null;
}

export function askingPage(language: PageLanguage, { provider, profile, ...asking }: Asking): Response {
  const words = pageWords[language];
  const name = provider ?? words.someProvider;
  const expires = asking.expiresAt.toISOString();
  const time = asking.expiresAt.toLocaleTimeString(language, { timeZone: 'UTC', hour: '2-digit', minute: '2-digit' });
  return show(language, 200, words.title(name), [
    html`<h1>${words.title(name)}</h1>
<p><strong>${words.asks(name, profile)}</strong></p>
<p>${words.what}</p>
<p><a class="button" href="${asking.startPath}" rel="nofollow">${words.goOn(name)}</a></p>
<p>${words.until} <time datetime="${expires}">${time} UTC</time>. ${asking.returnUrl ? words.returns(new URL(asking.returnUrl).host) : ''}</p>`,
  ]);
}

/** What became of it. `back`: where the person may go on, with the outcome in the address. */
export function outcomePage(language: PageLanguage, told: Told, back: string | undefined): Response {
  const words = pageWords[language];
  const ending = words.endings[told.status];
  const reason = told.reason && words.reasons[told.reason];
  return show(language, statusOf(told), ending, [
    html`<h1>${ending}</h1>`,
    reason ? html`<p class="problem" role="alert">${reason}</p>` : html``,
    back ? html`<p><a class="button" href="${back}">${words.back}</a></p>` : html``,
  ]);
}

export function unknownPage(language: PageLanguage): Response {
  const { title, text } = pageWords[language].unknown;
  return show(language, 404, title, [html`<h1>${title}</h1><p>${text}</p>`]);
}

function statusOf({ reason }: Told): number {
  if (reason === 'internal_error') return 503;
  return reason === 'state_invalid' ? 400 : 200;
}

function show(
  language: PageLanguage,
  status: number,
  title: string,
  body: readonly ReturnType<typeof html>[],
): Response {
  const response = pageResponse({ status, title, language, body, referrer: 'no-referrer' });
  response.headers.set('vary', 'accept-language');
  response.headers.set('cache-control', 'no-store');
  return response;
}
