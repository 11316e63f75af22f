import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShopProfile, openShopScene, type ShopScene } from './shop-scene.ts';

let scene: ShopScene;
beforeAll(async () => {
  scene = await openShopScene();
});
afterAll(() => scene?.close());

test("[conv-006] the API's snippet in a real browser attributes a payment to the clicked ad", async () => {
  const scopes = ['attribution:write', 'analytics:read', 'visitors:read', 'customers:read'] as const;
  const { ask, rows } = await openShopProfile(scene, scopes);
  const { key } = (await ask('POST', '/api/v1/tracking/keys')).json().data;
  expect((await ask('GET', '/api/v1/tracking/installers/gtm')).body).toContain(key);
  const snippet = (await ask('GET', '/api/v1/tracking/snippet')).body;
  scene.html = `<!doctype html><html><head>${snippet}</head><body><h1>Shop</h1></body></html>`;

  const visitor = await scene.newVisitor();
  const page = await visitor.newPage();
  const ad = 'utm_source=facebook&utm_medium=paid_social&utm_id=1202&fbclid=IwAR0secret';
  const queryString = 'svc_t=not-a-token&email=eva%40example.test';
  await page.goto(`${scene.origin}/?${ad}&${queryString}`, { referer: 'https://l.facebook.com/' });
  await expect.poll(() => page.url()).not.toContain('svc_t');
  await page.evaluate(`tributary('identify', { email: 'eva@example.test' })`);

  await expect
    .poll(() => rows('SELECT channel, source, click_id_kind, url, country FROM visits FINAL'))
    .toContainEqual({
      channel: 'paid_social',
      source: 'facebook',
      click_id_kind: 'fbclid',
      // The e-mail address and the click id are removed, the campaign is kept.
      url: expect.not.stringMatching(/eva|IwAR0secret|svc_t/),
      country: 'ZZ',
    });
  await expect.poll(() => rows('SELECT count() AS n FROM touches FINAL')).toEqual([{ n: '1' }]);

  await ask('POST', '/api/v1/events', {
    event_name: 'payment_received',
    idempotency_key: 'order-1',
    occurred_at: new Date().toISOString(),
    properties: { value: '199.90', currency: 'USD' },
    user_traits: { email: 'eva@example.test' },
  });
  await expect
    .poll(() => rows('SELECT value, touch_count, linear FROM attributed_conversions FINAL'), { interval: 50 })
    .toEqual([{ value: '19990', touch_count: 1, linear: ['19990'] }]);
  const feed = (await ask('GET', '/api/v1/tracking/events?limit=10')).json();
  expect(feed.data.length).toBeGreaterThan(0);
  const journey = (await ask('GET', '/api/v1/customers/journey?email=eva%40example.test')).json();
  expect(journey.data.events.map((event: { event_type: string }) => event.event_type)).toEqual([
    'page_view',
    'identify',
    'payment_received',
  ]);
  await visitor.close();
});

test('[link-051][link-052][link-054][link-055] a link token identifies the visitor by customer key through a first-party tracker, and credits the earlier ad click', async () => {
  const { ask, rows } = await openShopProfile(scene, ['attribution:write', 'analytics:read']);
  const { key } = (await ask('POST', '/api/v1/tracking/keys')).json().data;
  await ask('POST', '/api/v1/events', {
    event_name: 'payment_received',
    idempotency_key: 'order-1',
    occurred_at: new Date(Date.now() + 60_000).toISOString(),
    properties: { value: '100.00', currency: 'USD' },
    user_traits: { external_id: 'customer-1' },
  });
  const customers = [{ customer_key: 'customer-1' }];
  const { data } = (await ask('POST', '/api/v1/customers/link-tokens', { customers })).json();
  const linkTo = (path: string) =>
    `${scene.origin}${path}${path.includes('?') ? '&' : '?'}${data.param}=${data.results[0].token}`;
  const tag = `<script async src="/t/t.js" data-collector="/t" data-key="${key}"></script>`;

  const visitor = await scene.newVisitor();
  const page = await visitor.newPage();
  scene.html = '<!doctype html><h1>Without the tracker</h1>';
  await page.goto(linkTo('/plain'));
  expect(page.url()).toContain(data.param);
  scene.html = `<!doctype html><html><head>${tag}</head><body><h1>Shop</h1></body></html>`;
  await page.goto(`${scene.origin}/?utm_source=google&utm_medium=cpc&utm_campaign=shoes`);
  await expect.poll(() => rows('SELECT count() AS n FROM touches FINAL')).toEqual([{ n: '1' }]);
  // No visitor is identified so far: a page without the tracker links none.
  expect(await rows('SELECT touch_count FROM attributed_conversions FINAL')).not.toContainEqual({ touch_count: 1 });

  await page.goto(linkTo('/offer?utm_source=newsletter&utm_medium=email'));
  await expect.poll(() => page.url()).toBe(`${scene.origin}/offer?utm_source=newsletter&utm_medium=email`);
  await expect
    .poll(() => rows('SELECT touch_count, linear FROM attributed_conversions FINAL'))
    .toEqual([{ touch_count: 2, linear: ['5000', '5000'] }]);
  await visitor.close();
});
