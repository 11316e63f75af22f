import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dumpEverything, placesOf } from './everything.ts';
import { openShopProfile, openShopScene, type ShopScene } from './shop-scene.ts';

let scene: ShopScene;
beforeAll(async () => {
  scene = await openShopScene();
});
afterAll(() => scene?.close());

const eva = {
  external_id: 'member-zq4711x',
  email: 'evangelina@sotomayor.example',
  phone: '+56987654321',
  first_name: 'Evangelina',
  last_name: 'Sotomayor',
};
const subject = 'subject-zq81x';
const clickId = 'IwAR0zq81ClickOfEvangelina';
const ad = `utm_source=facebook&utm_medium=paid_social&campaign_id=1202&fbclid=${clickId}`;
const newsletter = 'utm_source=newsletter&utm_medium=email';
const dayMs = 86_400_000;
const dayFromNow = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);

test('[eras-029][eras-030][eras-031] a customer arrives by an ad, pays and is erased from every store', async () => {
  const shop = await openShopProfile(scene, ['attribution:write', 'campaigns:read', 'customers:read']);
  const { ask, send, rows, profileId } = shop;
  const withoutPeople = await shop.keyWith('conversions:read');
  const ledger = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await scene.kit.app.forProfile(profileId).transaction((tx) => statement.execute(tx))).rows;
  const pay = (name: string, value: string, subject_ref: string, user_traits: object) =>
    ask('POST', '/api/v1/events', {
      event_name: 'payment_received',
      idempotency_key: name,
      occurred_at: new Date().toISOString(),
      properties: { value, currency: 'USD', subject_ref },
      user_traits,
    });

  // The shop knows Eva, but not her browser. Ana must be unaffected by Eva's erasure.
  const { key } = (await ask('POST', '/api/v1/tracking/keys')).json().data;
  scene.html = `<!doctype html><script async src="/t/t.js" data-collector="/t" data-key="${key}"></script><a href="/shoes">Shoes</a>`;
  const spent = { platform: 'social_ads', level: 'campaign', external_id: '1202', name: 'Winter', currency: 'USD' };
  await ask('POST', '/api/v1/spend', { rows: [{ ...spent, date: dayFromNow(0), spend: '40.00' }] });
  await ask('POST', '/api/v1/customers', { rows: [eva] });
  await pay('order-1', '50.01', 'subject-1', { external_id: 'member-ana', email: 'ana@example.test' });

  // Eva arrives by an ad, views a page and leaves.
  const visitor = await scene.newVisitor();
  const page = await visitor.newPage();
  await page.goto(`${scene.origin}/?${ad}`, { referer: 'https://l.facebook.com/' });
  await page.getByRole('link', { name: 'Shoes' }).click();
  await page.waitForURL('**/shoes');
  const clientId = await page.evaluate(() => localStorage.getItem('tributary_id') ?? '');
  await page.goto('about:blank');
  const paths = () => rows('SELECT path FROM visits FINAL', 'ORDER BY occurred_at');
  await expect.poll(paths).toEqual([{ path: '/' }, { path: '/shoes' }]);
  expect(await ledger(sql`SELECT FROM visitor_links`)).toEqual([]);

  // Later she opens a link with a token in a message from the shop.
  const customers = [{ customer_key: eva.external_id }];
  const { data } = (await ask('POST', '/api/v1/customers/link-tokens', { customers })).json();
  const { token } = data.results[0];
  const link = `${scene.origin}/offer?${newsletter}&${data.param}=${token}`;
  await page.goto(link);
  await expect.poll(() => page.url()).toBe(`${scene.origin}/offer?${newsletter}`);
  const links = () =>
    ledger(sql<{ visitor_id: string; customer_id: string }>`SELECT visitor_id, customer_id FROM visitor_links`);
  await expect.poll(links).toHaveLength(1);
  const [bound] = await links();
  await page.goto('about:blank');
  // One of her visits is in a dead letter that could not be parsed.
  const [visitMessage = ''] = (await scene.log.texts()).get('visits') ?? [];
  const unread = Buffer.from(`no message\n${visitMessage.slice(visitMessage.indexOf('{"v":1'))}`);
  await scene.log.stream.publish([{ id: 'unread', key: 'unread', payload: unread }]);
  await expect.poll(() => scene.log.stream.deadLetters.count()).toBe(1);

  // She pays, and the touches receive credit, including the ad click from before she was identified.
  await pay('order-2', '199.90', subject, eva);
  await expect
    .poll(() => rows('SELECT value, linear FROM attributed_conversions FINAL', 'ORDER BY conversion_time'))
    .toEqual([
      { value: '5001', linear: [] },
      { value: '19990', linear: ['9995', '9995'] },
    ]);
  const journeyOf = `/api/v1/customers/journey?customer_key=${eva.external_id}`;
  const journey = (await ask('GET', journeyOf)).json();
  expect(journey.meta.person).toMatchObject({ customer_profile_id: bound?.customer_id, name: 'Evangelina Sotomayor' });
  expect(journey.data.events).toMatchObject([
    { event_type: 'page_view', path: '/', channel: 'paid_social', campaign: 'Winter' },
    { event_type: 'page_view', path: '/shoes' },
    { event_type: 'page_view', path: '/offer', channel: 'email' },
    { event_type: 'payment_received', value_amount: 199.9, currency: 'USD' },
  ]);
  expect((await ask('GET', journeyOf, undefined, withoutPeople)).json().data.events).toMatchObject([
    { kind: 'visit', campaign_external_id: '1202', credit: { first_touch: 1, linear: 0.5, last_touch: 0 } },
    { kind: 'visit', channel: 'email', credit: { first_touch: 0, linear: 0.5, last_touch: 1 } },
    { kind: 'conversion' },
  ]);

  const days = `date_from=${dayFromNow(-1)}&date_to=${dayFromNow(1)}`;
  const totals = async () => {
    const reports = [`campaigns?model=linear&${days}`, `campaigns?model=last_touch&${days}`, `overview?${days}`];
    return Promise.all(reports.map(async (report) => (await ask('GET', `/api/v1/${report}`)).json().data));
  };
  const spentInTotal = async () => (await totals())[2].totals.spend;
  await expect.poll(spentInTotal).toBe(40);
  const before = await totals();
  expect(before[0]).toMatchObject([{ external_id: '1202', outcome_value: 99.95, spend: 40, roas: 2.49875 }]);
  expect(before[2].totals).toMatchObject({ outcome_count: 2, outcome_value: 249.91 });

  const names = {
    key: eva.external_id,
    email: eva.email,
    phone: '987654321',
    firstName: eva.first_name,
    lastName: eva.last_name,
    subject,
    customerId: bound?.customer_id as string,
    visitorId: bound?.visitor_id as string,
    clientId,
    token,
    clickId,
    page: '/shoes',
  };
  const found = async (): Promise<Record<string, string[]>> => {
    const everything = await dumpEverything(scene);
    const searched = Object.entries({ ...names, bystander: 'ana@example.test' });
    return Object.fromEntries(searched.map(([name, word]) => [name, placesOf(word, everything)]));
  };
  const locations = await found();
  const { token: ofToken, clickId: ofClick, ...plain } = locations;
  for (const [name, places] of Object.entries(plain)) expect(places, name).not.toEqual([]);
  expect(locations.clientId).toEqual(['stream dead-letters', 'stream visits']);
  // These two were only ever stored encrypted.
  expect([ofToken, ofClick]).toEqual([[], []]);

  // Eva is erased.
  const erasure = { request_ref: 'request-1', customer_key: eva.external_id };
  const receipt = (await ask('POST', '/api/v1/customers/erasures', erasure)).json().data;
  const refused = await send('GET', journeyOf);
  expect([refused.statusCode, refused.json().error.code]).toEqual([404, 'customer_not_found']);
  const status = async () => {
    await scene.completeErasures();
    return (await ask('GET', `/api/v1/customers/erasures/${receipt.erasure_id}`)).json().data.status;
  };
  await expect.poll(status, { timeout: 40_000, interval: 200 }).toBe('done');

  const nowhere = Object.fromEntries(Object.keys(names).map((name) => [name, []]));
  expect(await found()).toEqual({
    ...nowhere,
    // Her visits are still counted under a customer without personal data. Until its messages expire, the stream contains her browser's client id and
    // the pages it viewed.
    visitorId: ['postgres visitor_links', 'clickhouse touches', 'clickhouse visits'],
    clientId: ['stream visits'],
    page: ['stream visits'],
    bystander: locations.bystander,
  });
  expect(await totals()).toEqual(before);

  // A returning browser is an anonymous visitor, and the old link does not identify it again.
  await page.goto(link.replace('/offer', '/again'));
  const again = () => rows('SELECT visitor_id FROM visits FINAL', "AND path = '/again'");
  await expect.poll(again).toHaveLength(1);
  const [stranger] = (await again()) as { visitor_id: string }[];
  expect(await page.evaluate(() => localStorage.getItem('tributary_id'))).toBe(clientId);
  expect(stranger?.visitor_id).not.toBe(names.visitorId);
  expect((await links()).map(({ visitor_id }) => visitor_id)).toEqual([names.visitorId]);
  await visitor.close();
});
