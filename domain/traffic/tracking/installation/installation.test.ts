import { runInNewContext } from 'node:vm';
import { buildApiKey, buildProfile, openTest } from '@tributary/testkit';
import { beforeEach, describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
let headers: Record<string, string>;
beforeEach(async () => {
  headers = await keyOf(await buildProfile(kit.app));
});

const keyOf = async ({ id }: { id: string }) => ({
  ...(await buildApiKey(kit.app, id, { scopes: ['attribution:write', 'analytics:read'] })).headers,
});
const issue = async (): Promise<string> =>
  (await api.fastify.inject({ method: 'POST', url: '/api/v1/tracking/keys', headers })).json().data.key;
const get = (path: string) => api.fastify.inject({ url: `/api/v1/tracking/${path}`, headers });
const requireConsent = () =>
  api.fastify.inject({
    method: 'PATCH',
    url: '/api/v1/tracking/settings',
    headers: { ...headers, 'content-type': 'application/json' },
    payload: '{"is_consent_required":true}',
  });

describe('the snippet', () => {
  test('[track-006] is the plain tag with the active key and the collector', async () => {
    const key = await issue();
    const answer = await get('snippet');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toContain('sandbox');
    expect(answer.body).toBe(`<!-- Tributary -->
<script>window.tributary=window.tributary||function(){(window.tributary.q=window.tributary.q||[]).push(arguments)};</script>
<script async src="https://collect.tributary.test/t.js" data-key="${key}"></script>
`);
  });

  test('requires consent for the tracker and for the ad platform’s pixel', async () => {
    await issue();
    await requireConsent();
    expect((await get('snippet')).body).toContain(' data-consent="required"></script>');
    expect((await get('snippet?pixel=social_ads&pixel_id=1234567890')).body).toContain(
      "fbq('consent','revoke');\nfbq('init'",
    );
    expect((await get('snippet?pixel=search_ads&pixel_id=AW-1234567')).body).toContain("gtag('consent','default'");
  });

  test.each([
    ['social_ads', '1234567890123456', "fbq('init','1234567890123456');"],
    ['search_ads', 'AW-123456789', "gtag('config','AW-123456789');"],
  ])('[track-007] includes the pixel of %s, and its scripts are valid JavaScript', async (pixel, id, call) => {
    const key = await issue();
    const { body } = await get(`snippet?pixel=${pixel}&pixel_id=${id}`);
    expect(body).toContain(`data-key="${key}"`);
    expect(body).toContain(call);
    for (const [, script] of body.matchAll(/<script>([\s\S]*?)<\/script>/g))
      expect(() => new Function(script ?? '')).not.toThrow();
  });

  test.each([
    ['pixel=social_ads', 'pixel_id'],
    ['pixel=social_ads&pixel_id=12x', 'pixel_id'],
    ["pixel=social_ads&pixel_id=123456');alert(1)//", 'pixel_id'],
    ['pixel=search_ads&pixel_id=1234567890', 'pixel_id'],
    ['pixel=search_ads&pixel_id=AW-%3C/script%3E', 'pixel_id'],
    ['pixel_id=1234567890', 'pixel'],
    ['pixel=other_ads&pixel_id=1234567890', 'pixel'],
  ])('refuses %s', async (query, field) => {
    await issue();
    const answer = await get(`snippet?${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toMatchObject({ code: 'invalid_parameter', field });
  });

  test('contains no ad platform’s pixel for a healthcare profile', async () => {
    headers = await keyOf(await buildProfile(kit.app, { privacyMode: 'hipaa' }));
    await issue();
    expect((await get('snippet')).statusCode).toBe(200);
    const answer = await get('snippet?pixel=social_ads&pixel_id=1234567890');
    expect(answer.json().error).toMatchObject({ code: 'forbidden', reason: 'healthcare' });
  });

  test.each(['snippet', 'installers/gtm', 'installers/store-pixel', 'installers/shopify-pixel'])(
    '%s is 409 without a tracking key',
    async (path) => {
      const answer = await get(path);
      expect(answer.statusCode).toBe(409);
      expect(answer.json().error).toMatchObject({ code: 'invalid_state', reason: 'no_tracking_key' });
    },
  );
});

describe('the Tag Manager container', () => {
  interface Variable {
    readonly name: string;
    readonly type: string;
    readonly parameter: { key: string; value: string }[];
  }

  test('[track-008] is an export with a tag, its trigger on all pages, and the constants that the tag uses', async () => {
    const key = await issue();
    const { container, file_name, instructions } = (await get('installers/gtm')).json().data;
    expect(file_name).toMatch(/\.json$/);
    expect(instructions.length).toBeGreaterThan(2);
    expect(container.exportFormatVersion).toBe(2);
    expect(container.exportTime).toBe('2026-06-15 12:00:00');
    const { tag, trigger, variable } = container.containerVersion;
    expect(trigger).toMatchObject([{ type: 'PAGEVIEW', triggerId: tag[0].firingTriggerId[0] }]);
    expect(tag).toMatchObject([{ type: 'html', name: 'Tributary tracker' }]);
    const values = Object.fromEntries(variable.map((one: Variable) => [one.name, one.parameter[0]?.value]));
    expect(variable.every((one: Variable) => one.type === 'c')).toBe(true);
    expect(values).toEqual({ 'Tributary key': key, 'Tributary collector': 'https://collect.tributary.test' });

    // Does what Tag Manager does: substitutes constants, then runs the script.
    const html: string = tag[0].parameter.find((one: { key: string }) => one.key === 'html').value;
    const filled = html.replace(/\{\{(.+?)\}\}/g, (_, name) => values[name]);
    const attributes: Record<string, string> = {};
    const element = {
      async: false,
      src: '',
      setAttribute: (name: string, value: string) => (attributes[name] = value),
    };
    const added: unknown[] = [];
    const document = { createElement: () => element, head: { appendChild: (one: unknown) => added.push(one) } };
    runInNewContext(filled.replace(/<\/?script>/g, ''), { window: {}, document });
    expect(added).toEqual([element]);
    expect([element.src, attributes]).toEqual(['https://collect.tributary.test/t.js', { 'data-key': key }]);
  });

  test('makes the tracker wait for consent', async () => {
    await issue();
    await requireConsent();
    expect(JSON.stringify((await get('installers/gtm')).json())).toContain("'data-consent', 'required'");
  });
});

describe('the store pixel', () => {
  const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const checkout = {
    token: 'tok',
    email: 'ana@example.cl',
    phone: null,
    currencyCode: 'CLP',
    totalPrice: { amount: 19_990 },
    order: { id: 'gid-1', customer: { id: 'c-9' } },
    billingAddress: { firstName: 'Ana', lastName: 'Soto', phone: '+56912345678' },
    lineItems: [{}, {}],
  };

  /** Emulates a store's sandbox as its documentation describes it. */
  async function run(
    script: string,
    events: { name: string; at: string; data?: unknown }[],
    cookies: Record<string, string> = {},
    more: Record<string, unknown> = {},
  ) {
    const handlers: Record<string, (event: unknown) => void> = {};
    const sent: {
      url: string;
      body: { key: string; client_id: string; consent: boolean; visits: Record<string, unknown>[] };
    }[] = [];
    runInNewContext(script, {
      ...more,
      crypto,
      analytics: { subscribe: (name: string, handle: (event: unknown) => void) => (handlers[name] = handle) },
      browser: {
        cookie: {
          get: async (name: string) => cookies[name] ?? '',
          set: async (text: string) => {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
            cookies[name] = value;
          },
        },
      },
      fetch: async (url: string, { body }: { body: string }) => sent.push({ url, body: JSON.parse(body) }),
    });
    const document = { location: { href: 'https://shop.cl/x?utm_source=a' }, referrer: 'https://www.google.com/' };
    for (const { name, at, data } of events) handlers[name]?.({ name, timestamp: at, data, context: { document } });
    await new Promise((resolve) => setTimeout(resolve, 30));
    return { subscribed: Object.keys(handlers), sent };
  }

  test('sends the visitor’s consent, given to the tracker or to the store', async () => {
    await issue();
    const { script } = (await get('installers/shopify-pixel')).json().data;
    const events = [{ name: 'page_viewed', at: '2026-06-15T12:00:00.000Z' }];
    const sentConsents = async (...how: [Record<string, string>?, Record<string, unknown>?]) =>
      (await run(script, events, ...how)).sent.map(({ body }) => body.consent);
    const inStore = (analyticsProcessingAllowed: boolean) => ({
      init: { customerPrivacy: { analyticsProcessingAllowed } },
    });
    expect(await sentConsents()).toEqual([false]);
    expect(await sentConsents({ tributary_consent: 'yes' })).toEqual([true]);
    expect(await sentConsents({}, inStore(true))).toEqual([true]);
    expect(await sentConsents({}, inStore(false))).toEqual([false]);
    expect(await sentConsents({ tributary_consent: 'no' }, inStore(true))).toEqual([]);
  });

  test('[track-009] [track-010] sends store events as visits, under either path, unless the visitor refused consent', async () => {
    const key = await issue();
    const { data } = (await get('installers/shopify-pixel')).json();
    expect((await get('installers/store-pixel')).json().data).toEqual(data);
    const variant = { id: 'v', sku: 'S', price: { amount: 10, currencyCode: 'CLP' }, product: { id: 'p', title: 'T' } };
    const { subscribed, sent } = await run(data.script, [
      { name: 'page_viewed', at: '2026-06-15T12:00:00.000Z' },
      {
        name: 'product_added_to_cart',
        at: '2026-06-15T12:01:00.000Z',
        data: { cartLine: { quantity: 2, merchandise: variant } },
      },
      { name: 'checkout_completed', at: '2026-06-15T12:50:00.000Z', data: { checkout } },
      { name: 'cart_viewed', at: '2026-06-15T12:51:00.000Z', data: { cart: null } },
    ]);
    expect(subscribed.sort()).toEqual([...data.events].sort());
    expect(new Set(sent.map(({ url }) => url))).toEqual(new Set(['https://collect.tributary.test/v1/visits']));
    expect(new Set(sent.map(({ body }) => `${body.key} ${body.client_id}`)).size).toBe(1);
    expect(sent[0]?.body.key).toBe(key);
    expect(sent[0]?.body.client_id).toMatch(uuidV7);
    const visits = sent.flatMap(({ body }) => body.visits);
    for (const visit of visits)
      expect([visit.id, visit.session_id]).toEqual([expect.stringMatching(uuidV7), expect.stringMatching(uuidV7)]);
    const page = { url: 'https://shop.cl/x?utm_source=a', referrer: 'https://www.google.com/' };
    expect(visits).toMatchObject([
      { ...page, type: 'page_view', at: '2026-06-15T12:00:00.000Z', is_session_start: true },
      { ...page, type: 'track', name: 'product_added_to_cart', is_session_start: false },
      { ...page, type: 'track', name: 'checkout_completed', is_session_start: true },
      { ...page, type: 'identify', is_session_start: false },
      { ...page, type: 'track', name: 'cart_viewed', is_session_start: false },
    ]);
    expect(visits[1]?.properties).toEqual({
      product_id: 'p',
      product_title: 'T',
      variant_id: 'v',
      sku: 'S',
      price: 10,
      currency: 'CLP',
      quantity: 2,
    });
    expect(visits[2]?.properties).toEqual({
      checkout_token: 'tok',
      order_id: 'gid-1',
      value: 19_990,
      currency: 'CLP',
      line_items: 2,
    });
    const refused = await run(data.script, [{ name: 'page_viewed', at: '2026-06-15T12:00:00.000Z' }], {
      tributary_consent: 'no',
    });
    expect(refused.sent).toEqual([]);
    expect(visits[3]?.traits).toEqual({
      email: 'ana@example.cl',
      phone: '+56912345678',
      external_id: 'c-9',
      first_name: 'Ana',
      last_name: 'Soto',
    });
  });
});
