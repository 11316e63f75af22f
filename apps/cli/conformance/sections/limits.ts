import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { checksOf } from '../check.ts';
import { dataOf, refusal, unknownId } from '../expect.ts';
import { appProfile } from './authentication.ts';
import { buyer, days, lead, leads, payment } from './fixtures.ts';

export const limitChecks = checksOf('limits', (check) => {
  check('lim-001 cust-045 cust-046', 'lists 10 customers a page, up to 100', async (context) => {
    const { api } = context;
    const { goal, keys } = await leads(context);
    const list = `customers?${days(context)}&goal=${goal}`;
    assert.equal(dataOf(await api.get(list)).length, 10);
    assert.equal(dataOf(await api.get(`${list}&limit=100`)).length, keys.length);
    assert.equal(dataOf(await api.get(`${list}&limit=3`)).length, 3);
    for (const limit of ['101', '0', '-1', 'all'])
      refusal(await api.get(`${list}&limit=${limit}`), 400, 'invalid_parameter');
  });

  check('lim-002 jour-024', 'reads up to 100 events of a journey a page', async (context) => {
    const { key } = await buyer(context);
    const journey = `customers/journey?customer_key=${key}`;
    dataOf(await context.api.get(`${journey}&limit=100`));
    for (const limit of ['101', '0'])
      refusal(await context.api.get(`${journey}&limit=${limit}`), 400, 'invalid_parameter');
  });

  check('lim-003 cust-066 cust-069', 'searches for two characters or more, up to 50 results', async ({ api }) => {
    assert.deepEqual(dataOf(await api.get('customers/search?q=a')), []);
    dataOf(await api.get('customers/search?q=an&limit=50'));
    for (const limit of ['51', '0'])
      refusal(await api.get(`customers/search?q=an&limit=${limit}`), 400, 'invalid_parameter');
  });

  check('lim-004 cust-055', 'imports up to 1,000 customers in a request', async ({ api, unique }) => {
    const name = unique('many');
    const rows = Array.from({ length: 1_001 }, (_, index) => ({ email: `${name}-${index}@example.com` }));
    const { message } = refusal(await api.post('customers', { rows }), 422, 'validation_error');
    assert.match(message, /1,?000/);
    const { summary } = dataOf(await api.post('customers', { rows: rows.slice(1) }));
    assert.deepEqual(summary, { total: 1_000, created: 1_000, matched: 0, rejected: 0 });
  });

  check('lim-005 link-016', 'mints up to 500 link tokens in a request', async ({ api }) => {
    const customers = Array.from({ length: 501 }, () => ({ customer_key: 'nobody' }));
    refusal(await api.post('customers/link-tokens', { customers }), 422, 'validation_error');
    assert.equal(dataOf(await api.post('customers/link-tokens', { customers: customers.slice(1) })).not_found, 500);
  });

  check('lim-006 link-017 link-018', 'mints link tokens for 90 days, or 1 to 365', async (context) => {
    const { api, clock } = context;
    const { key } = await buyer(context);
    const mint = async (expires_in_days?: number) => {
      const customers = [{ customer_key: key }];
      const { results } = dataOf(await api.post('customers/link-tokens', { customers, expires_in_days }));
      return Math.round((Date.parse(results[0].expires_at) - clock.now().getTime()) / 86_400_000);
    };
    assert.deepEqual([await mint(), await mint(1), await mint(365)], [90, 1, 365]);
    for (const expires_in_days of [0, 366, 1.5])
      refusal(
        await api.post('customers/link-tokens', { customers: [{ customer_key: key }], expires_in_days }),
        422,
        'validation_error',
      );
  });

  check('lim-009 camp-051', 'lists up to 100 campaigns', async (context) => {
    dataOf(await context.api.get(`campaigns?${days(context)}&limit=100`));
    refusal(await context.api.get(`campaigns?${days(context)}&limit=101`), 400, 'invalid_parameter');
  });

  check('lim-010 camp-060', 'returns the trend of up to ten entities', async (context) => {
    const ids = Array.from({ length: 11 }, (_, index) => unknownId.replace(/.$/, index.toString(16)));
    const trend = (some: readonly string[]) =>
      context.api.get(`campaigns/trend?${days(context)}&entity_ids=${some.join()}`);
    dataOf(await trend(ids.slice(0, 10)));
    refusal(await trend(ids), 400, 'invalid_parameter');
  });

  check('lim-011 top-040 top-041 top-042', 'ranks up to 50 ads over one of four windows', async ({ api }) => {
    for (const window of ['7d', '14d', '28d', 'lifetime'])
      dataOf(await api.get(`top-performers?window=${window}&limit=50`));
    refusal(await api.get('top-performers?limit=51'), 400, 'invalid_parameter');
    refusal(await api.get('top-performers?window=30d'), 400, 'invalid_parameter');
    refusal(await api.get('top-performers?date_from=2026-01-01'), 400, 'invalid_parameter');
  });

  check('lim-013 camp-066 camp-067', 'paginates campaign conversions by 1 to 200', async (context) => {
    for (const limit of ['0', '201'])
      refusal(
        await context.api.get(`campaigns/${unknownId}/conversions?${days(context)}&limit=${limit}`),
        400,
        'invalid_parameter',
      );
  });

  check('lim-014 part-020', 'previews up to 500 referrals', async ({ api, clock, unique }) => {
    const referral = {
      idempotency_key: unique('r'),
      ad_id: '1',
      occurred_at: clock.at(-1_000),
      customer: { external_ref: 'a' },
    };
    const referrals = Array.from({ length: 501 }, (_, index) => ({ ...referral, idempotency_key: `r-${index}` }));
    refusal(await api.post('partner/ad-referrals/preview', { referrals }), 422, 'validation_error');
  });

  check('lim-015 ops-027', 'tags up to 25 ads in a request', async ({ api, unique }) => {
    const ad_ids = Array.from({ length: 26 }, (_, index) => String(index));
    const headers = { 'idempotency-key': unique('tags') };
    const answer = await api.post(
      'quality/ad-ids/url-tags/apply',
      { ad_ids, acknowledge_learning_reset: true },
      { headers },
    );
    refusal(answer, 422, 'validation_error');
  });

  check('lim-017 eras-021', 'accepts a request_ref of up to 200 allowed characters', async ({ api }) => {
    const erase = (request_ref: string) =>
      api.post('customers/erasures', { request_ref, customer_key: 'nobody at all' });
    refusal(await erase('a'.repeat(200)), 404, 'customer_not_found');
    refusal(await erase('aA0._:-'), 404, 'customer_not_found');
    for (const ref of ['a'.repeat(201), 'with space', 'ñ', 'a/b', ''])
      refusal(await erase(ref), 400, 'invalid_parameter');
  });

  check(
    'lim-018 inge-023 inge-024',
    'accepts a subject that is a UUID or has up to 32 characters',
    async ({ api, unique }) => {
      const customer = unique('subjects');
      const send = (subject_ref: string) => api.post('events', payment(customer, { key: unique('s'), subject_ref }));
      for (const subject of [unknownId, 'z'.repeat(32), 'Child_1-b']) dataOf(await send(subject), 202);
      for (const subject of ['z'.repeat(33), 'two words', 'a.b'])
        refusal(await send(subject), 400, 'invalid_parameter');
    },
  );

  check(
    'lim-030 lim-034 lim-035 err-026',
    "refuses what is above a key's own rate with 429, Retry-After and X-RateLimit-Reset, and takes it after that time",
    async (context) => {
      const { app, as } = context;
      const { id } = await appProfile(context);
      const key = as(await app.createKey(id, { scopes: ['connections:read'], rate_limit_per_minute: 30 }));
      const send = () => key.get('connections', { takes429: true });
      const first = await send();
      assert.equal(first.headers.get('x-ratelimit-limit'), '30');
      let refused = first;
      for (let sent = 1; sent <= 40 && refused.status === 200; sent += 1) refused = await send();
      refusal(refused, 429, 'rate_limit_exceeded');
      const seconds = Number(refused.headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 60, `Retry-After is ${seconds}`);
      const reset = Number(refused.headers.get('x-ratelimit-reset'));
      assert.ok(Math.abs(reset - Date.now() / 1_000 - seconds) <= 2, `X-RateLimit-Reset is ${reset}`);
      await sleep(seconds * 1_000);
      dataOf(await send());
    },
    'app',
  );

  check(
    'lim-029',
    'counts the requests of an app by its own rate',
    async (context) => {
      const { id } = await appProfile(context);
      const token = await context.app.client(id);
      const { headers } = await token.get('connections');
      assert.ok(
        ['300', '1200', '6000'].includes(headers.get('x-ratelimit-limit') ?? ''),
        headers.get('x-ratelimit-limit') ?? '',
      );
    },
    'app',
  );

  check(
    '',
    'accepts the promised number of events in a request, at least 1,000, and refuses more',
    async ({ api, unique }) => {
      const name = unique('bulk');
      const events = Array.from({ length: 1_000 }, (_, index) =>
        lead(`${name}-${index % 5}`, { idempotency_key: `${name}-${index}` }),
      );
      const { results } = dataOf(await api.post('events', { events }), 202);
      assert.equal(results.length, 1_000);
      const tooMany = Array.from({ length: 20_001 }, () => ({ event_name: 'a' }));
      assert.ok([413, 422].includes((await api.post('events', { events: tooMany })).status));
    },
  );
});
