import { links } from '@tributary/contract';
import { findProfileName } from '@tributary/domain/tenants';
import { chooseLanguage, type PageEndpoint, type PageVisit } from '@tributary/pages';
import { findAnywhere } from '@tributary/postgres';
import { type HandoffProvider, handoffProviders } from '@tributary/vocabulary';
import { isReturnAllowed } from './allowed-return.ts';
import { hashCapability, isCapability, startPath } from './capability.ts';
import { beginConsent, cookieHeader, readCookies, readReturn } from './consent-state.ts';
import { end, finishConsent, whyNot } from './finish-consent.ts';
import { answerTo, type Told, toldOf } from './handoff.ts';
import { pageLanguages } from './page-words.ts';
import { bounceUrl } from './return-url.ts';
import { askingPage, outcomePage, unknownPage } from './screens.ts';
import type { HandoffPageServices } from './services.ts';
import {
  findHandoff,
  type HandoffRow,
  handoffOf,
  lockHandoff,
  noteAttempt,
  type Whereabouts,
  whereabouts,
} from './store.ts';

/** What somebody with a link comes to, in a browser and with no account: the page, the way to the provider, and the way back. */
export function handoffPages(services: HandoffPageServices): PageEndpoint[] {
  const door = new HandoffDoor(services);
  const get = (path: string, handle: PageEndpoint['handle']): PageEndpoint => ({
    method: 'GET',
    path,
    allowance: 'public',
    maxBytes: 1_024,
    handle: (request, visit) => door.answering(request, visit, handle),
  });
  return [
    get('/connect/:capability', (request, visit) => door.show(request, visit)),
    get('/connect/:capability/start', (request, visit) => door.start(request, visit)),
    get('/connect/callback/:provider', (request, visit) => door.finish(request, visit)),
  ];
}

const languageOf = (request: Request) => chooseLanguage(request.headers.get('accept-language'), pageLanguages);

class HandoffDoor {
  readonly #services: HandoffPageServices;

  constructor(services: HandoffPageServices) {
    this.#services = services;
  }

  /** A person in front of a browser is told in words, whatever happens. */
  async answering(request: Request, visit: PageVisit, handle: PageEndpoint['handle']): Promise<Response> {
    try {
      return await handle(request, visit);
    } catch (error) {
      this.#services.onError(error);
      return outcomePage(languageOf(request), toldOf('internal_error'), undefined);
    }
  }

  /** Changes nothing: chat programs look at links before people do. */
  async show(request: Request, { params, now }: PageVisit): Promise<Response> {
    const language = languageOf(request);
    const at = await this.#find(params.capability);
    const row = at && (await this.#read(at));
    if (!at || !row) return unknownPage(language);
    const told = answerTo(handoffOf(row), now);
    if (told) return outcomePage(language, told, await this.#bounce(row, told));
    const profile = await this.#ledger(at).transaction((tx) => findProfileName(tx, at.profileId), { readOnly: true });
    return askingPage(language, {
      provider: this.#services.providers.of(row.provider as HandoffProvider)?.facts.name,
      profile: profile ?? '',
      startPath: startPath(params.capability ?? ''),
      expiresAt: row.expires_at,
      returnUrl: row.return_url,
    });
  }

  /** To the provider. Only where no consent could ever end well is the hand-off over: whoever polls it is told. */
  async start(request: Request, { params, now, requestId }: PageVisit): Promise<Response> {
    const { providers, audit, baseUrl, vault, isCookieSecure } = this.#services;
    const at = await this.#find(params.capability);
    const row = at && (await this.#read(at));
    if (!at || !row) return unknownPage(languageOf(request));
    const told = answerTo(handoffOf(row), now);
    if (told) return this.#return(request, row, told);
    const connect = providers.of(row.provider as HandoffProvider)?.connect;
    const reason = await this.#ledger(at).transaction((tx) => whyNot(tx, row, connect, baseUrl), { readOnly: true });
    if (reason || !connect) {
      const ended = await this.#ledger(at).transaction(async (tx) => {
        const locked = await lockHandoff(tx, at.profileId, at.id);
        const ending = { reason: reason ?? ('provider_not_configured' as const) };
        const meanwhile = locked && answerTo(handoffOf(locked), now);
        if (!locked || meanwhile) return meanwhile ?? toldOf('handoff_used');
        return end(tx, { audit }, { row: locked, at, ending, moment: { now, requestId } });
      });
      return this.#return(request, row, ended);
    }
    const [key] = vault.derive('handoff');
    if (!key) throw new Error('There is no key to sign with.');
    const { state, cookie, codeChallenge } = beginConsent(key, at, now);
    const redirectUri = links.connectCallback(baseUrl, row.provider);
    const to = connect.authorizeUrl({ redirectUri, state, ...(connect.usesPkce && { codeChallenge }) });
    return redirect(to, { 'set-cookie': cookieHeader(at, cookie, isCookieSecure) });
  }

  /** Back from the provider. */
  async finish(request: Request, { params, now, requestId }: PageVisit): Promise<Response> {
    const { vault, baseUrl, isCookieSecure } = this.#services;
    const provider = handoffProviders.find((name) => name === params.provider);
    if (!provider) return unknownPage(languageOf(request));
    const query = Object.fromEntries(new URL(request.url).searchParams);
    const cookies = readCookies(request.headers.get('cookie'), isCookieSecure);
    const returned = readReturn(vault.derive('handoff'), { state: query.state ?? '', cookies }, now);
    const row = returned.at && (await this.#read(returned.at));
    if (!returned.at || row?.provider !== provider) return this.#return(request, undefined, toldOf('state_invalid'));
    const redirectUri = links.connectCallback(baseUrl, provider);
    const moment = { now, requestId };
    switch (returned.verdict) {
      case 'invalid':
        return this.#return(request, row, await this.#note(returned.at, 'state_invalid', now));
      case 'expired_elsewhere':
        return this.#return(request, row, await this.#note(returned.at, 'state_expired', now));
      case 'expired':
        return this.#return(request, row, await this.#endLate(returned.at, moment));
      case 'valid': {
        const { codeVerifier, at } = returned;
        return this.#return(
          request,
          row,
          await finishConsent(this.#services, at, { query, redirectUri, codeVerifier }, moment),
        );
      }
    }
  }

  /** In another browser: it decides nothing, and a caller that polls sees why. */
  async #note(at: Whereabouts, reason: 'state_invalid' | 'state_expired', now: Date): Promise<Told> {
    await this.#ledger(at).transaction((tx) => noteAttempt(tx, at, reason, now));
    return toldOf(reason);
  }

  /** In the right browser, and too late. */
  #endLate(at: Whereabouts, moment: { readonly now: Date; readonly requestId: string }): Promise<Told> {
    return this.#ledger(at).transaction(async (tx) => {
      const row = await lockHandoff(tx, at.profileId, at.id);
      if (!row) return toldOf('state_invalid');
      const told = answerTo(handoffOf(row), moment.now);
      return told ?? end(tx, this.#services, { row, at, ending: { reason: 'state_expired' }, moment });
    });
  }

  async #find(capability: string | undefined): Promise<Whereabouts | undefined> {
    if (!capability || !isCapability(capability)) return undefined;
    return findAnywhere(this.#services.postgres.everywhere, whereabouts(hashCapability(capability)));
  }

  #ledger(at: Whereabouts) {
    return this.#services.postgres.behind({ profileId: at.profileId, workspaceId: at.workspaceId });
  }

  #read(at: Whereabouts): Promise<HandoffRow | undefined> {
    return this.#ledger(at).transaction((tx) => findHandoff(tx, at.profileId, at.id), { readOnly: true });
  }

  /** To the caller's page, where there is one that may be returned to; else to a page of ours. */
  async #return(request: Request, row: HandoffRow | undefined, told: Told): Promise<Response> {
    const to = row && told.reason !== 'origin_not_allowed' ? await this.#bounce(row, told) : undefined;
    return to ? redirect(to) : outcomePage(languageOf(request), told, undefined);
  }

  /** Asked each time: an app may have lost an origin since the mint. */
  async #bounce(row: HandoffRow, told: Told): Promise<string | undefined> {
    const { profile_id: profileId, app_id: appId, return_url: returnUrl, id: handoffId } = row;
    if (!returnUrl) return undefined;
    const { baseUrl, postgres } = this.#services;
    const ledger = postgres.forProfile(profileId);
    const isAllowed = await ledger.transaction((tx) => isReturnAllowed(tx, { profileId, appId, returnUrl, baseUrl }), {
      readOnly: true,
    });
    if (!isAllowed) return undefined;
    return bounceUrl(returnUrl, { ...told, provider: row.provider as HandoffProvider, profileId, handoffId });
  }
}

function redirect(to: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { location: to, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers },
  });
}
