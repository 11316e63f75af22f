import { html, pageResponse } from '@tributary/pages';
import type { BounceOutcome } from './handoff.ts';
import { type PageLanguage, pageWords } from './page-texts.ts';

/** The pages of a hand-off. Their URL is a secret, so they send no referrer to other hosts. */

interface ConsentPageParams {
  readonly provider: string | undefined;
  readonly profile: string;
  readonly startPath: string;
  readonly expiresAt: Date;
  readonly returnUrl: string | null;
}

export function consentPage(language: PageLanguage, { provider, profile, ...params }: ConsentPageParams): Response {
  const texts = pageWords[language];
  const name = provider ?? texts.someProvider;
  const expires = params.expiresAt.toISOString();
  const time = params.expiresAt.toLocaleTimeString(language, { timeZone: 'UTC', hour: '2-digit', minute: '2-digit' });
  return respond(language, 200, texts.title(name), [
    html`<h1>${texts.title(name)}</h1>
<p><strong>${texts.asks(name, profile)}</strong></p>
<p>${texts.what}</p>
<p><a class="button" href="${params.startPath}" rel="nofollow">${texts.goOn(name)}</a></p>
<p>${texts.until} <time datetime="${expires}">${time} UTC</time>. ${params.returnUrl ? texts.returns(new URL(params.returnUrl).host) : ''}</p>`,
  ]);
}

/** Shows the outcome. `back`: the return URL with the outcome, if allowed. */
export function outcomePage(language: PageLanguage, outcome: BounceOutcome, back: string | undefined): Response {
  const texts = pageWords[language];
  const ending = texts.endings[outcome.status];
  const reason = outcome.reason && texts.reasons[outcome.reason];
  return respond(language, getHttpStatus(outcome), ending, [
    html`<h1>${ending}</h1>`,
    reason ? html`<p class="problem" role="alert">${reason}</p>` : html``,
    back ? html`<p><a class="button" href="${back}">${texts.back}</a></p>` : html``,
  ]);
}

export function unknownPage(language: PageLanguage): Response {
  const { title, text } = pageWords[language].unknown;
  return respond(language, 404, title, [html`<h1>${title}</h1><p>${text}</p>`]);
}

function getHttpStatus({ reason }: BounceOutcome): number {
  if (reason === 'internal_error') return 503;
  return reason === 'state_invalid' ? 400 : 200;
}

function respond(
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
