import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Json } from '../client.ts';
import { eventually } from '../context.ts';
import { dataOf } from '../expect.ts';
import { appProfile } from './authentication.ts';
import { payment, record } from './fixtures.ts';
import { market, rowsOf, visit } from './market.ts';

/** Weights of touches three, two and one day old under a half-life of seven days. */
const decay = [2, 1, 0].map((days) => 2 ** (-days / 7));
const decayTotal = decay.reduce((sum, weight) => sum + weight, 0);

/** The shares of the two campaigns in 100.00 when the third and last touch was direct. */
const shares: Readonly<Record<string, readonly [number, number]>> = {
  last_touch: [0, 0],
  first_touch: [100, 0],
  last_non_direct: [0, 100],
  linear: [33.33, 33.33],
  time_decay: [(100 * (decay[0] ?? 0)) / decayTotal, (100 * (decay[1] ?? 0)) / decayTotal],
  position_based: [40, 20],
};

const near = (actual: number, expected: number, what: string) =>
  assert.ok(Math.abs(actual - expected) <= 0.011, `${what} is ${actual}, not ${expected}`);

export const attribution = checksOf('attribution', (check) => {
  for (const [model, [first, second]] of Object.entries(shares))
    check('', `credits a payment under ${model}`, async (context) => {
      await market(context);
      await eventually(async () => {
        const [one, two] = await rowsOf(context, `model=${model}`);
        near(one.outcome_value, first, 'The value of the first campaign');
        near(two.outcome_value, second, 'The value of the second campaign');
      });
    });

  check(
    'camp-001 camp-015 camp-017',
    'counts a conversion where the model gave credit, and nowhere else',
    async (context) => {
      await market(context);
      await eventually(async () => {
        for (const [model, [first, second]] of Object.entries(shares)) {
          const [one, two] = await rowsOf(context, `model=${model}`);
          const counts = [one, two].map((row) => row.attributed_outcome_count);
          assert.deepEqual(counts, [first > 0 ? 1 : 0, second > 0 ? 1 : 0], model);
        }
      });
    },
  );

  check(
    'jour-005 jour-006 jour-008 jour-009 jour-010',
    'shows the visits behind a payment with channel, source and campaign',
    async (context) => {
      const { customer, first } = await market(context);
      const { events } = dataOf(await context.api.get(`customers/journey?customer_key=${customer}`));
      const visits: Json[] = events.filter(({ event_type }: Json) => event_type === 'page_view');
      assert.equal(visits.length, 3);
      assert.deepEqual([visits[0].source, visits[0].medium, visits[0].campaign], ['facebook', 'paid', first.name]);
      assert.equal(new URL(visits[0].url).pathname, visits[0].path);
      assert.equal(visits[2].channel, 'direct');
      assert.equal(events.at(-1).is_synthetic, false);
    },
  );

  check(
    'cust-009 cust-010 cust-014 cust-015 cust-016',
    'lists the converted customer with touches and channels',
    async (context) => {
      const { customer } = await market(context);
      const { api, clock } = context;
      await eventually(async () => {
        const { body } = await api.get(`customers/journey?customer_key=${customer}`);
        const id = body.meta.person.customer_profile_id;
        const list = `customers?date_from=${clock.day(2)}&date_to=${clock.day(-1)}&goal=payment_received&limit=100`;
        const row = dataOf(await api.get(list)).find(({ customer_profile_id }: Json) => customer_profile_id === id);
        assert.ok(row, 'The customer is not in the list.');
        assert.deepEqual([row.touch_count, row.channel], [3, 'direct']);
        assert.equal(row.touch_channels.length, 2);
        near(row.time_to_complete_seconds / 86_400, 3, 'The days from the first touch');
      });
    },
  );

  check('', 'counts a touch within the window of its definition and none before it', async (context) => {
    const { api, unique } = context;
    const { touch, first } = await market(context);
    const names = [1, 30].map((lookback_window_days) => ({
      name: unique('win').replaceAll('-', '_'),
      lookback_window_days,
    }));
    for (const { name, lookback_window_days } of names)
      dataOf(
        await api.post('goals/definitions', { name, conversion_key: name, event_names: [name], lookback_window_days }),
        201,
      );
    const customer = unique('windowed');
    await visit(context, [
      { daysAgo: 5, query: touch(first) },
      { daysAgo: 5, type: 'identify', traits: { external_id: customer } },
    ]);
    await eventually(async () => {
      const { body } = await api.get(`customers/journey?customer_key=${customer}`);
      assert.ok(body.data?.total_count >= 2);
    });
    for (const { name } of names) await record(api, { event_name: name, user_traits: { external_id: customer } });
    const creditOf = async (name: string) => {
      const [row] = await rowsOf(context, 'model=first_touch');
      return row.attributed_outcomes_by_type[name] ?? 0;
    };
    await eventually(async () => {
      assert.equal(await creditOf(names[1]?.name ?? ''), 1);
    });
    assert.equal(await creditOf(names[0]?.name ?? ''), 0);
  });

  check(
    'inge-011',
    'follows a late identification: earlier visits of the browser count for the customer',
    async (context) => {
      const { api, unique } = context;
      const { touch, second } = await market(context);
      const customer = unique('late');
      const before = (await rowsOf(context, 'model=first_touch'))[1].attributed_outcome_count;
      await record(api, payment(customer, { key: unique('late'), value: '10.00' }));
      await visit(context, [
        { daysAgo: 2, query: touch(second) },
        { daysAgo: 0, type: 'identify', traits: { external_id: customer } },
      ]);
      await eventually(async () => {
        const [, row] = await rowsOf(context, 'model=first_touch');
        assert.equal(row.attributed_outcome_count, before + 1);
      });
    },
  );

  check(
    'link-046 link-048 link-054 link-055',
    'links a browser to the customer of a link token, and ignores a modified token',
    async (context) => {
      const { api, unique } = context;
      const customer = unique('linked');
      await record(api, { event_name: 'lead_created', user_traits: { external_id: customer } });
      const mint = async () =>
        dataOf(await api.post('customers/link-tokens', { customers: [{ customer_key: customer }] })).results[0].token;
      const token: string = await mint();
      const altered = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
      await visit(context, [{ daysAgo: 2 }, { daysAgo: 1, link_token: altered }]);
      const browser = await visit(context, [{ daysAgo: 2 }]);
      await visit(context, [{ daysAgo: 1, link_token: await mint() }], browser);
      await eventually(async () => {
        const { body } = await api.get(`customers/journey?customer_key=${customer}`);
        assert.equal(body.data.total_count, 3);
        assert.equal(body.meta.person.counts.browsers, 1);
      });
    },
  );

  check(
    'link-045',
    'ignores a link token after its expiry and one day of grace for queued visits',
    async (context) => {
      const { api, unique, clock } = context;
      const customer = unique('expired');
      await record(api, { event_name: 'lead_created', user_traits: { external_id: customer } });
      const customers = [{ customer_key: customer }];
      const { results } = dataOf(await api.post('customers/link-tokens', { customers, expires_in_days: 1 }));
      await clock.advance({ days: 2, minutes: 5 });
      await visit(context, [{ daysAgo: 0, link_token: results[0].token }]);
      const marker = unique('marker');
      await visit(context, [{ daysAgo: 0 }, { daysAgo: 0, type: 'identify', traits: { external_id: marker } }]);
      await eventually(async () => dataOf(await api.get(`customers/journey?customer_key=${marker}`)));
      const { body } = await api.get(`customers/journey?customer_key=${customer}`);
      assert.equal(body.meta.person.counts.browsers, 0);
    },
    'clock',
  );

  check(
    'link-044',
    "gives a link token no effect on another profile's site",
    async (context) => {
      const { app, as, unique } = context;
      const { id } = await appProfile(context);
      const stranger = as(await app.createKey(id));
      const customer = unique('elsewhere');
      await record(stranger, { event_name: 'lead_created', user_traits: { external_id: customer } });
      const { results } = dataOf(
        await stranger.post('customers/link-tokens', { customers: [{ customer_key: customer }] }),
      );
      const marker = unique('here');
      await visit(context, [
        { daysAgo: 0, link_token: results[0].token },
        { daysAgo: 0, type: 'identify', traits: { external_id: marker } },
      ]);
      await eventually(async () => dataOf(await context.api.get(`customers/journey?customer_key=${marker}`)));
      const { body } = await stranger.get(`customers/journey?customer_key=${customer}`);
      assert.equal(body.meta.person.counts.browsers, 0);
    },
    'app',
  );
});
