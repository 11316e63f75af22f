import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { type Drill, openApi, openDrillKit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { Company } from '../../domain/advertising/handoffs/consent.fixture.ts';
import {
  appOrigin,
  openBrowser,
  openShop,
  returnUrl,
  type Shop,
} from '../../domain/advertising/handoffs/handoffs.fixture.ts';
import { hostileUrl } from './handoffs-hostile.ts';

const sizes = { small: { handoffs: 24, urls: 300 }, full: { handoffs: 1_000, urls: 10_000 } } as const;
const callbacks = 20;
const handoffsAtOnce = 6;

/**
 * Returns twenty consents of one browser at once through two APIs, while other browsers send the same state. Then tries hostile return URLs that
 * imitate the app's origin.
 */
export const drill: Drill = {
  name: 'handoffs',
  promise:
    'Each hand-off uses exactly one consent, other browsers cannot complete or cancel it, and redirects go only to origins that the app allows.',

  async run({ size, progress }) {
    const { handoffs, urls } = sizes[size];
    const kit = await openDrillKit('drill-handoffs', ['postgres', 'redis']);
    const company = await new Company().open();
    const providerOutbound = createOutbound({ timeoutMs: 15_000, policy: localDevelopmentTargets });
    const changes = { providers: company.providers(), providerOutbound };
    const apis = [await openApi(kit, changes), await openApi(kit, changes)] as const;
    try {
      const consents = await raceConsents({ kit, company, apis }, handoffs, (done) =>
        progress(done, handoffs, 'consents'),
      );
      const returns = await tryReturns({ kit, company, apis }, urls, (done) => progress(done, urls, 'addresses'));
      const { rows } = await kit.owner.unbound.query(sql<{ clear: string }>`
        SELECT count(*) AS clear FROM (
          SELECT h::text AS row FROM handoffs h UNION ALL SELECT p::text FROM pending_selections p
          UNION ALL SELECT c::text FROM connections c UNION ALL SELECT o::text FROM outbox o UNION ALL SELECT a::text FROM audit_log a
        ) rows WHERE row LIKE '%token-%' OR row LIKE ${`%${Buffer.from('token-').toString('hex')}%`}`);
      const tokensInClear = Number(rows[0]?.clear);
      const passed =
        consents.wrong === 0 &&
        consents.settledByOthers === 0 &&
        consents.consentsUsed === consents.completed &&
        consents.completed > handoffs / 2 &&
        consents.events === consents.completed &&
        returns.bouncedElsewhere === 0 &&
        returns.accepted > 0 &&
        tokensInClear === 0;
      return { passed, ...consents, ...returns, tokensInClear };
    } finally {
      await Promise.all(apis.map((api) => api.close()));
      company.close();
      providerOutbound.close();
      await kit.close();
    }
  },
};

interface Scene {
  readonly kit: Testkit;
  readonly company: Company;
  readonly apis: readonly [Awaited<ReturnType<typeof openApi>>, Awaited<ReturnType<typeof openApi>>];
}

async function raceConsents({ kit, company, apis }: Scene, handoffs: number, progress: (done: number) => void) {
  const [first] = apis;
  // A profile can have only a limited number of connections.
  const shops = await Promise.all(Array.from({ length: Math.ceil(handoffs / 40) }, () => openShop(kit, first)));
  const counts = { handoffs, callbacks: 0, completed: 0, cancelled: 0, consentsUsed: 0, strangers: 0 };
  let [wrong, settledByOthers, next] = [0, 0, 0];
  /** Most callbacks approve one account, some approve several, and some cancel at the same time. */
  const callbackUrl = (index: number, consent: string, copy: number) => {
    if (index % 5 === 4 && copy % 2 === 0) return company.answer(consent, { error: 'access_denied' });
    return company.approve(consent, `act_${index}`, ...(index % 7 === 6 ? [`other_${index}`] : []));
  };
  const runHandoff = async (index: number) => {
    const shop = shops[index % shops.length] as Shop;
    const provider = index % 2 === 0 ? 'social_ads' : 'search_ads';
    const { data } = await shop.mint(provider, { return_url: returnUrl });
    const browser = openBrowser(first);
    const { to: consent = '' } = await browser.open(data.start_url);
    const callbackUrls = Array.from({ length: callbacks }, (_, copy) => callbackUrl(index, consent, copy));
    const codes = callbackUrls.map((url) => new URL(url).searchParams.get('code') ?? '');
    // Other browsers: one without a hand-off, one that opened the start URL itself, and one that uses the other API.
    const started = openBrowser(first);
    await started.open(data.start_url);
    const strangers = [openBrowser(first), started, openBrowser(apis[1])];
    const openAsStranger = async (nth: number) => {
      const { outcome } = await (strangers[nth % 3] as (typeof strangers)[0]).open(callbackUrls[nth] as string);
      counts.strangers += 1;
      if (outcome?.reason !== 'state_invalid' || outcome.handoff_id !== data.id) wrong += 1;
    };
    for (let nth = 0; nth < 3; nth += 1) await openAsStranger(nth);
    if ((await shop.read(data.id)).status !== 'pending') settledByOthers += 1;
    const twin = openBrowser(apis[1]);
    for (const [name, value] of browser.jar) twin.jar.set(name, value);
    const [bounces] = await Promise.all([
      Promise.all(callbackUrls.map((url, copy) => (copy % 2 === 0 ? browser : twin).open(url))),
      Promise.all([0, 1, 2].map(openAsStranger)),
    ]);
    counts.callbacks += bounces.length;
    const { status, result } = await shop.read(data.id);
    const used = codes.filter((code) => company.exchangedCodes.has(code)).length;
    counts.consentsUsed += used;
    if (status === 'completed') counts.completed += 1;
    else if (status === 'cancelled' && result.reason === 'user_cancelled') counts.cancelled += 1;
    else wrong += 1;
    // Callbacks after the end get the outcome. Earlier ones get handoff_used, because another callback is being processed.
    const outcome = result.pending_selection ? 'pending_selection' : status === 'completed' ? 'success' : 'cancelled';
    const reported = bounces.map((bounce) => bounce.outcome?.reason ?? bounce.outcome?.status);
    const decided = bounces.filter((bounce) => bounce.outcome?.status === outcome).length;
    if (used !== (status === 'completed' ? 1 : 0) || decided < 1) wrong += 1;
    if (status === 'cancelled' && decided !== 1) wrong += 1;
    if (reported.some((word) => word !== outcome && word !== 'handoff_used' && word !== 'user_cancelled')) wrong += 1;
  };
  await Promise.all(
    Array.from({ length: handoffsAtOnce }, async () => {
      for (let index = next++; index < handoffs; index = next++) {
        await runHandoff(index);
        progress(index);
      }
    }),
  );
  const { rows } = await kit.system.unbound.query(
    sql<{ n: string }>`SELECT count(*) AS n FROM outbox WHERE type = 'handoff.completed'`,
  );
  return { ...counts, events: Number(rows[0]?.n), wrong, settledByOthers };
}

/** Tries each URL when creating a hand-off. Also writes it into a stored hand-off, as if it had been allowed once, and opens that. */
async function tryReturns({ kit, company, apis: [api] }: Scene, urls: number, progress: (done: number) => void) {
  const shop = await openShop(kit, api);
  const counts = { urls, accepted: 0, refusedAtMint: 0, bounced: 0, bouncedElsewhere: 0 };
  const checkRedirect = (location: string | undefined) => {
    if (location === undefined || location.startsWith(`${company.url}/`)) return;
    counts.bounced += 1;
    // Parsed as a browser would.
    if (URL.parse(location)?.origin !== appOrigin) counts.bouncedElsewhere += 1;
  };
  let next = 0;
  const tryUrl = async (index: number, ended: { readonly id: string; readonly start_url: string }) => {
    const return_url = hostileUrl(index);
    const browser = openBrowser(api);
    const minted = await shop.mint('social_ads', { return_url });
    if (minted.status === 201) {
      counts.accepted += 1;
      const started = await browser.open(minted.data.start_url);
      checkRedirect(started.to);
      checkRedirect((await browser.open(company.answer(started.to ?? '', { error: 'access_denied' }))).to);
    } else counts.refusedAtMint += 1;
    const planted = return_url.replaceAll('\u0000', '');
    await kit.app
      .forProfile(shop.id)
      .transaction((tx) =>
        tx
          .updateTable('handoffs')
          .set({ return_url: planted })
          .where('profile_id', '=', shop.id)
          .where('id', '=', ended.id)
          .execute(),
      );
    checkRedirect((await browser.open(ended.start_url)).to);
    if (index % 100 === 0) progress(index);
  };
  await Promise.all(
    Array.from({ length: handoffsAtOnce }, async () => {
      const { data: ended } = await shop.mint('social_ads', { return_url: returnUrl });
      const browser = openBrowser(api);
      const { to: consent = '' } = await browser.open(ended.start_url);
      await browser.open(company.answer(consent, { error: 'access_denied' }));
      for (let index = next++; index < urls; index = next++) await tryUrl(index, ended);
    }),
  );
  return counts;
}
