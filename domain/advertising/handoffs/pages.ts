import { links } from '@tributary/contract';
import { findProfileName } from '@tributary/domain/tenancy/tenants';
import { chooseLanguage, type PageEndpoint, type PageVisit } from '@tributary/pages';
import { findOnAnyShard } from '@tributary/postgres';
import { type HandoffProvider, handoffProviders } from '@tributary/vocabulary';
import { isReturnAllowed } from './allowed-return.ts';
import { hashCapability, isCapability, startPath } from './capability.ts';
import { beginConsent, cookieHeader, readCookies, verifyReturn } from './consent-state.ts';
import { end, findBlockingReason, finishConsent } from './finish-consent.ts';
import { type BounceOutcome, getFinalOutcome, outcomeForReason } from './handoff.ts';
import { pageLanguages } from './page-texts.ts';
import { bounceUrl } from './return-url.ts';
import { consentPage, outcomePage, unknownPage } from './screens.ts';
import type { HandoffPageServices } from './services.ts';
import {
  findHandoff,
  type HandoffLocation,
  type HandoffRow,
  locateHandoff,
  lockHandoff,
  saveAttempt,
  toHandoff,
} from './store.ts';

/**
 * The pages that a user without an account opens: the hand-off page, the redirect to the provider, and the callback.
 */
export function handoffPages(services: HandoffPageServices): PageEndpoint[] {
  const pages = new HandoffPages(services);
  const get = (path: string, handle: PageEndpoint['handle']): PageEndpoint => ({
    method: 'GET',
    path,
    allowance: 'public',
    maxBytes: 1_024,
    handle: (request, visit) => pages.respond(request, visit, handle),
  });
  return [
    get('/connect/:capability', (request, visit) => pages.show(request, visit)),
    get('/connect/:capability/start', (request, visit) => pages.start(request, visit)),
    get('/connect/callback/:provider', (request, visit) => pages.finish(request, visit)),
  ];
}

const chooseRequestLanguage = (request: Request) =>
  chooseLanguage(request.headers.get('accept-language'), pageLanguages);

class HandoffPages {
  readonly #services: HandoffPageServices;

  constructor(services: HandoffPageServices) {
    this.#services = services;
  }

  /** Shows an error page for any failure, because a user is waiting in a browser. */
  async respond(request: Request, visit: PageVisit, handle: PageEndpoint['handle']): Promise<Response> {
    try {
      return await handle(request, visit);
    } catch (error) {
      this.#services.onError(error);
      return outcomePage(chooseRequestLanguage(request), outcomeForReason('internal_error'), undefined);
    }
  }

  /** Changes nothing, because chat apps open links for previews. */
  async show(request: Request, { params, now }: PageVisit): Promise<Response> {
    const language = chooseRequestLanguage(request);
    const at = await this.#find(params.capability);
    const row = at && (await this.#read(at));
    if (!at || !row) return unknownPage(language);
    const outcome = getFinalOutcome(toHandoff(row), now);
    if (outcome) return outcomePage(language, outcome, await this.#bounce(row, outcome));
    const profile = await this.#ledger(at).transaction((tx) => findProfileName(tx, at.profileId), { readOnly: true });
    return consentPage(language, {
      provider: this.#services.providers.of(row.provider as HandoffProvider)?.facts.name,
      profile: profile ?? '',
      startPath: startPath(params.capability ?? ''),
      expiresAt: row.expires_at,
      returnUrl: row.return_url,
    });
  }

  /**
   * Redirects to the provider. Ends the hand-off only if no consent can ever succeed, so that a polling caller learns
   * it.
   */
  async start(request: Request, { params, now, requestId }: PageVisit): Promise<Response> {
    const { providers, audit, baseUrl, vault, isCookieSecure } = this.#services;
    const at = await this.#find(params.capability);
    const row = at && (await this.#read(at));
    if (!at || !row) return unknownPage(chooseRequestLanguage(request));
    const outcome = getFinalOutcome(toHandoff(row), now);
    if (outcome) return this.#return(request, row, outcome);
    const connect = providers.of(row.provider as HandoffProvider)?.connect;
    const reason = await this.#ledger(at).transaction((tx) => findBlockingReason(tx, row, connect, baseUrl), {
      readOnly: true,
    });
    if (reason || !connect) {
      const ended = await this.#ledger(at).transaction(async (tx) => {
        const locked = await lockHandoff(tx, at.profileId, at.id);
        const ending = { reason: reason ?? ('provider_not_configured' as const) };
        const decided = locked && getFinalOutcome(toHandoff(locked), now);
        if (!locked || decided) return decided ?? outcomeForReason('handoff_used');
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

  /** Handles the callback from the provider. */
  async finish(request: Request, { params, now, requestId }: PageVisit): Promise<Response> {
    const { vault, baseUrl, isCookieSecure } = this.#services;
    const provider = handoffProviders.find((name) => name === params.provider);
    if (!provider) return unknownPage(chooseRequestLanguage(request));
    const query = Object.fromEntries(new URL(request.url).searchParams);
    const cookies = readCookies(request.headers.get('cookie'), isCookieSecure);
    const returned = verifyReturn(vault.derive('handoff'), { state: query.state ?? '', cookies }, now);
    const row = returned.at && (await this.#read(returned.at));
    if (!returned.at || row?.provider !== provider)
      return this.#return(request, undefined, outcomeForReason('state_invalid'));
    const redirectUri = links.connectCallback(baseUrl, provider);
    const moment = { now, requestId };
    switch (returned.verdict) {
      case 'invalid':
        return this.#return(request, row, await this.#saveAttempt(returned.at, 'state_invalid', now));
      case 'expired_elsewhere':
        return this.#return(request, row, await this.#saveAttempt(returned.at, 'state_expired', now));
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

  /**
   * Stores the reason of a failed attempt from another browser without ending the hand-off, for callers that poll it.
   */
  async #saveAttempt(
    at: HandoffLocation,
    reason: 'state_invalid' | 'state_expired',
    now: Date,
  ): Promise<BounceOutcome> {
    await this.#ledger(at).transaction((tx) => saveAttempt(tx, at, reason, now));
    return outcomeForReason(reason);
  }

  /** Ends the hand-off of a callback that arrived in the right browser after its expiry. */
  #endLate(at: HandoffLocation, moment: { readonly now: Date; readonly requestId: string }): Promise<BounceOutcome> {
    return this.#ledger(at).transaction(async (tx) => {
      const row = await lockHandoff(tx, at.profileId, at.id);
      if (!row) return outcomeForReason('state_invalid');
      const outcome = getFinalOutcome(toHandoff(row), moment.now);
      return outcome ?? end(tx, this.#services, { row, at, ending: { reason: 'state_expired' }, moment });
    });
  }

  async #find(capability: string | undefined): Promise<HandoffLocation | undefined> {
    if (!capability || !isCapability(capability)) return undefined;
    return findOnAnyShard(this.#services.postgres.allShards, locateHandoff(hashCapability(capability)));
  }

  #ledger(at: HandoffLocation) {
    return this.#services.postgres.withScope({ profileId: at.profileId, workspaceId: at.workspaceId });
  }

  #read(at: HandoffLocation): Promise<HandoffRow | undefined> {
    return this.#ledger(at).transaction((tx) => findHandoff(tx, at.profileId, at.id), { readOnly: true });
  }

  /** Redirects to the caller's page if it is allowed; otherwise shows a page. */
  async #return(request: Request, row: HandoffRow | undefined, outcome: BounceOutcome): Promise<Response> {
    const to = row && outcome.reason !== 'origin_not_allowed' ? await this.#bounce(row, outcome) : undefined;
    return to ? redirect(to) : outcomePage(chooseRequestLanguage(request), outcome, undefined);
  }

  /** Checks the return URL every time, because an app may have lost an origin since the hand-off was created. */
  async #bounce(row: HandoffRow, outcome: BounceOutcome): Promise<string | undefined> {
    const { profile_id: profileId, app_id: appId, return_url: returnUrl, id: handoffId } = row;
    if (!returnUrl) return undefined;
    const { baseUrl, postgres } = this.#services;
    const ledger = postgres.forProfile(profileId);
    const isAllowed = await ledger.transaction((tx) => isReturnAllowed(tx, { profileId, appId, returnUrl, baseUrl }), {
      readOnly: true,
    });
    if (!isAllowed) return undefined;
    return bounceUrl(returnUrl, { ...outcome, provider: row.provider as HandoffProvider, profileId, handoffId });
  }
}

function redirect(to: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { location: to, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers },
  });
}
