import { entityIdOf } from '@tributary/rules';
import { buildApiKey, openTestWithClickHouse } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';
import { openAdvertiser, row } from './campaigns.fixture.ts';

const world = await openTestWithClickHouse();
const { kit, api } = world;
const open = () => openAdvertiser(world);

describe('a row', () => {
  test('is recorded once; the same row in another notation is unchanged', async () => {
    const shop = await open();
    const response = await shop.send({ rows: [row({ conversions: 1.5 })] });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        data: {
          results: [
            {
              index: 0,
              status: 'recorded',
              entity_id: entityIdOf(shop.profileId, 'social_ads', 'ad', 'ad-1'),
            },
          ],
          summary: { total: 1, recorded: 1, updated: 0, unchanged: 0, rejected: 0 },
        },
        meta: { profile_id: shop.profileId },
      },
    ]);
    expect(await shop.push(row({ spend: 12.5, impressions: '1000', conversions: '1.50', reach: null }))).toEqual([
      'unchanged',
    ]);
    await shop.copy();
    expect(await shop.push(row({ conversions: '1.5' }))).toEqual(['unchanged']);
    expect(await shop.dirty()).toBe(0);
    expect(await shop.days()).toEqual([
      {
        level: 'ad',
        day: '2026-06-01',
        platform: 'social_ads',
        currency: 'USD',
        spend: '12.5',
        impressions: '1000',
        clicks: '20',
        conversions: '1.5',
        version: '1',
      },
    ]);
    expect(await shop.history()).toEqual([]);
  });

  test('with other figures is a restatement; every previous revision is kept, and totals count one', async () => {
    const shop = await open();
    expect(await shop.push(row())).toEqual(['recorded']);
    await shop.copy();
    expect(await shop.push(row({ spend: '13' }), row({ spend: '14' }))).toEqual(['updated', 'updated']);
    expect(await shop.push(row({ spend: '15.25' }))).toEqual(['updated']);
    await shop.copy();
    expect(await shop.days()).toMatchObject([{ spend: '15.25', version: '4' }]);
    expect(await shop.history()).toEqual([
      { day: '2026-06-01', spend: '12.5', version: '1' },
      { day: '2026-06-01', spend: '13', version: '2' },
      { day: '2026-06-01', spend: '14', version: '3' },
    ]);
    expect(await shop.query('SELECT spend, revision::int FROM ad_delivery_history ORDER BY revision')).toEqual([
      { spend: '12.5', revision: 1 },
      { spend: '13', revision: 2 },
      { spend: '14', revision: 3 },
    ]);
    expect(
      await shop.ask(
        'SELECT toString(sum(spend)) AS spend, count() AS n FROM ad_delivery_daily FINAL WHERE profile_id = {profile_id:UUID}',
      ),
    ).toEqual([{ spend: '15.25', n: '1' }]);
  });

  test('without a previously reported figure clears it', async () => {
    const shop = await open();
    await shop.push(row({ conversions: 3, reach: 900 }));
    expect(await shop.push(row())).toEqual(['updated']);
    await shop.copy();
    expect(await shop.days()).toMatchObject([{ conversions: null, version: '2' }]);
  });

  test('keeps every digit of an amount and converts it without rounding', async () => {
    const shop = await open();
    await shop.push(
      row({ external_id: 'clp', currency: 'CLP', spend: '123456789012' }),
      row({ external_id: 'kwd', currency: 'KWD', spend: '1.234' }),
      row({ external_id: 'usd', spend: '999999999999.12345678901234567891' }),
      row({ external_id: 'float', spend: 0.1 + 0.2 }),
    );
    await shop.copy();
    expect(
      await shop.ask(
        `SELECT currency, toString(sum(d.spend)) AS spend, toString(sum(d.spend * toDecimal256('3.25478912345678901234', 20))) AS converted
         FROM ad_delivery_daily AS d FINAL WHERE profile_id = {profile_id:UUID} GROUP BY currency ORDER BY currency`,
      ),
    ).toEqual([
      { currency: 'CLP', spend: '123456789012', converted: product('123456789012', '3.25478912345678901234') },
      { currency: 'KWD', spend: '1.234', converted: product('1.234', '3.25478912345678901234') },
      {
        currency: 'USD',
        spend: '999999999999.42345678901234571891',
        converted: product('999999999999.42345678901234571891', '3.25478912345678901234'),
      },
    ]);
  });
});

/** Multiplies two decimals exactly, without trailing zeros. */
function product(a: string, b: string): string {
  const scale = (text: string) => text.split('.')[1]?.length ?? 0;
  const units = BigInt(a.replace('.', '')) * BigInt(b.replace('.', ''));
  const digits = units.toString().padStart(scale(a) + scale(b) + 1, '0');
  const point = digits.length - scale(a) - scale(b);
  return `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, '');
}

describe('an entity', () => {
  test('gets its parents before they are reported; a later day renames, an earlier day only fills in', async () => {
    const shop = await open();
    const family = { campaign_external_id: 'c-1', ad_set_external_id: 's-1' };
    await shop.push(row({ ...family, name: 'Film', date: '2026-06-10' }));
    await shop.copy();
    expect(await shop.entities()).toEqual([
      { external_id: 'ad-1', level: 'ad', name: 'Film', ad_set: 's-1', campaign: 'c-1' },
      { external_id: 's-1', level: 'ad_set', name: '', ad_set: 's-1', campaign: 'c-1' },
      { external_id: 'c-1', level: 'campaign', name: '', ad_set: '', campaign: 'c-1' },
    ]);
    await shop.push(row({ ...family, name: 'Older', campaign_name: 'Winter', date: '2026-06-01' }));
    await shop.copy();
    expect((await shop.entities()).map(({ name }) => name)).toEqual(['Film', '', 'Winter']);
    await shop.push(row({ name: 'Film 2', date: '2026-06-11' }));
    await shop.copy();
    expect((await shop.entities()).map(({ name }) => name)).toEqual(['Film 2', '', 'Winter']);
    expect(
      await shop.query("SELECT first_seen::text, last_seen::text FROM ad_entities WHERE external_id = 'ad-1'"),
    ).toEqual([{ first_seen: '2026-06-01', last_seen: '2026-06-11' }]);
  });

  test('moves with its ad set to a campaign reported later, and an ad keeps its ad set', async () => {
    const shop = await open();
    await shop.push(row({ ad_set_external_id: 's-1' }));
    await shop.copy();
    expect(await shop.entities()).toMatchObject([{ ad_set: 's-1', campaign: '' }, { campaign: '' }]);
    await shop.push(row({ level: 'ad_set', external_id: 's-1', campaign_external_id: 'c-1' }));
    await shop.push(row({ date: '2026-06-02', campaign_external_id: 'c-2' }));
    await shop.copy();
    expect((await shop.entities())[0]).toMatchObject({ external_id: 'ad-1', ad_set: 's-1', campaign: 'c-1' });
  });

  test('is updated by a name alone, with unchanged figures', async () => {
    const shop = await open();
    await shop.push(row());
    await shop.copy();
    expect(await shop.push(row({ name: 'Tab\tand \\ slash, ñandú', status: 'PAUSED' }))).toEqual(['rejected']);
    expect(await shop.push(row({ name: 'Back \\ slash, ñandú', status: 'PAUSED' }))).toEqual(['unchanged']);
    await shop.copy();
    expect(await shop.entities()).toMatchObject([{ name: 'Back \\ slash, ñandú' }]);
  });
});

describe('an invalid row', () => {
  test.each([
    ['not an object', 5, '', 'must be a row'],
    ['a missing field', { ...row(), spend: undefined }, 'spend', 'is required'],
    ['an unknown field', row({ impresions: 5 }), 'impresions', 'Did you mean `impressions`?'],
    ['an unknown level', row({ level: 'account' }), 'level', 'must be one of campaign, ad_set, ad'],
    ['an invalid date', row({ date: '2026-02-30' }), 'date', 'must be a real date'],
    ['a future date', row({ date: '2026-06-17' }), 'date', 'lies in the future'],
    ['a date that is too old', row({ date: '1999-12-31' }), 'date', 'must not be before 2000-01-01'],
    ['an unknown currency', row({ currency: 'XYZ' }), 'currency', 'is not a currency'],
    ['an invalid amount', row({ spend: '1,250.00' }), 'spend', 'must be a number'],
    ['a negative amount', row({ spend: -1 }), 'spend', 'must not be negative'],
    ['an amount that is too large', row({ spend: '1234567890123' }), 'spend', 'more digits'],
    ['a fraction of a click', row({ clicks: 0.5 }), 'clicks', 'whole number'],
    ['an id with a NUL', row({ external_id: 'a\u0000b' }), 'external_id', 'no space'],
    ['a name with a NUL', row({ name: 'a\u0000b' }), 'name', 'no control character'],
    [
      'an ad set under a campaign',
      row({ level: 'campaign', ad_set_external_id: 's' }),
      'ad_set_external_id',
      'no place',
    ],
    ['two ids', row({ level: 'ad_set', ad_set_external_id: 's' }), 'ad_set_external_id', 'differs'],
  ])('%s is rejected with its reason, and the other rows are recorded', async (_, bad, field, words) => {
    const shop = await open();
    const { data } = (await shop.send({ rows: [row(), bad, row({ external_id: 'ad-2' })] })).json();
    expect(data.results).toMatchObject([
      { status: 'recorded' },
      { index: 1, status: 'rejected', code: 'validation_error', field, message: expect.stringContaining(words) },
      { status: 'recorded' },
    ]);
    expect(data.summary).toEqual({ total: 3, recorded: 2, updated: 0, unchanged: 0, rejected: 1 });
  });

  test.each([
    ['an empty list', { rows: [] }],
    ['a list that is too long', { rows: Array.from({ length: 1_001 }, () => row()) }],
    ['a value that is not a list', { rows: 5 }],
  ])('%s is 422', async (_, payload) => {
    const response = await (await open()).send(payload);
    expect([response.statusCode, response.json().error]).toMatchObject([
      422,
      { code: 'validation_error', field: 'rows' },
    ]);
  });
});

describe('CSV', () => {
  test('is equivalent to the same rows in JSON, with columns in any order and empty cells ignored', async () => {
    const shop = await open();
    const response = await shop.sendCsv(
      '\ufeffDate,platform,level,external_id,spend,currency,impressions,clicks,name,reach\r\n' +
        '2026-06-01,social_ads,ad,ad-1,12.50,USD,1000,20,"Two, one",\r\n\r\n' +
        '2026-06-02,social_ads,ad,ad-1,7,USD,,,,5\r\n',
    );
    expect(response.json().data.results).toMatchObject([
      { index: 0, line: 2, status: 'recorded' },
      { index: 1, line: 4, status: 'recorded' },
    ]);
    expect(await shop.push(row(), row({ date: '2026-06-02', spend: 7, impressions: 0, clicks: 0, reach: 5 }))).toEqual([
      'unchanged',
      'unchanged',
    ]);
    expect(await shop.query('SELECT name FROM ad_entities')).toEqual([{ name: 'Two, one' }]);
  });

  test('an invalid line is rejected with its number, and the other lines are recorded', async () => {
    const shop = await open();
    const response = await shop.sendCsv(
      [
        'platform,level,external_id,date,currency,spend',
        'social_ads,ad,a,2026-06-01,USD,1',
        'social_ads,ad,"b',
        'b",2026-06-01,USD,1',
        'social_ads,ad,c,2026-06-01,USD',
        'social_ads,ad,d,2026-06-01,USD,one',
        'social_ads,ad,e,2026-06-01,USD,1',
      ].join('\n'),
    );
    expect(
      response.json().data.results.map(({ line, status, field }: Record<string, unknown>) => [line, status, field]),
    ).toEqual([
      [2, 'recorded', undefined],
      [4, 'rejected', 'external_id'],
      [5, 'rejected', 'platform'],
      [6, 'rejected', 'spend'],
      [7, 'recorded', undefined],
    ]);
  });

  test.each([
    ['an empty file', '', 400, 'is empty'],
    ['blank lines', '\n\n', 400, 'must name the fields'],
    ['a duplicate column', 'spend,spend\n1,2', 400, 'Column 2'],
    ['an unclosed quote', 'spend\n"secret\n1', 400, 'not valid CSV'],
    ['only a header', 'platform,spend', 422, 'rows'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0x0a]), 400, 'UTF-8'],
    ['too many columns', Array.from({ length: 101 }, (_, index) => `c${index}`).join(), 400, '100 columns'],
    ['200,000 columns', Array.from({ length: 200_000 }, (_, index) => `c${index}`).join(), 400, 'Line 1 of the CSV'],
    ['too many lines', `spend\n${'1\n'.repeat(200_000)}`, 422, '1 to 1000 rows'],
  ])('%s refuses the whole request', async (_, text, status, words) => {
    const response = await (await open()).sendCsv(text as string);
    expect([response.statusCode, response.body]).toEqual([status, expect.stringContaining(words)]);
    expect(response.body).not.toContain('secret');
  });

  test('is refused by routes that do not accept it', async () => {
    const shop = await open();
    const { headers } = await buildApiKey(kit.app, shop.profileId, { scopes: ['attribution:write'] });
    const response = await api.fastify.inject({
      method: 'POST',
      url: '/api/v1/events',
      headers: { ...headers, 'content-type': 'text/csv' },
      payload: 'event_name\nx',
    });
    expect(response.statusCode).toBe(400);
  });
});

describe('tenant isolation', () => {
  test('profiles can use the same ids and never see each other’s rows', async () => {
    const [mine, theirs] = [await open(), await open()];
    await mine.push(row());
    expect(await theirs.push(row({ spend: 1 }))).toEqual(['recorded']);
    await Promise.all([mine.copy(), theirs.copy()]);
    expect(await mine.days()).toMatchObject([{ spend: '12.5' }]);
    expect(await theirs.days()).toMatchObject([{ spend: '1' }]);
    for (const table of ['ad_entities', 'ad_delivery', 'profiles_with_ads']) {
      expect(await mine.query(`SELECT DISTINCT profile_id FROM ${table}`)).toEqual([{ profile_id: mine.profileId }]);
    }
  });

  test('the system role sees which profiles are due, but not their spend', async () => {
    for (const table of ['ad_entities', 'ad_delivery', 'ad_delivery_history']) {
      const looked = kit.system.unbound.transaction((tx) =>
        tx
          .selectFrom(table as 'ad_delivery')
          .selectAll()
          .execute(),
      );
      await expect(looked).rejects.toThrow('permission denied');
    }
  });

  test('without the scope nothing is recorded', async () => {
    const shop = await open();
    const { headers } = await buildApiKey(kit.app, shop.profileId, { scopes: ['campaigns:read'] });
    const response = await shop.send({ rows: [row()] }, { ...headers });
    expect([response.statusCode, response.json().error.code]).toEqual([403, 'insufficient_scope']);
    expect(await shop.query('SELECT FROM ad_delivery')).toHaveLength(0);
  });
});

test('concurrent writers of the same rows keep every revision and do not deadlock', async () => {
  const shop = await open();
  const days = Array.from({ length: 20 }, (_, day) => `2026-05-${String(day + 1).padStart(2, '0')}`);
  const writers = Array.from({ length: 8 }, (_, writer) => writer + 1);
  const answers = await Promise.all(
    writers.map((writer) => {
      const rows = days.map((date) => row({ date, spend: writer }));
      return shop.push(...(writer % 2 ? rows : rows.toReversed()));
    }),
  );
  expect(answers.flat().filter((status) => status === 'recorded')).toHaveLength(days.length);
  expect(answers.flat().filter((status) => status === 'updated')).toHaveLength(days.length * (writers.length - 1));
  await shop.copy();
  expect((await shop.days()).map(({ version }) => version)).toEqual(days.map(() => '8'));
  expect(await shop.history()).toHaveLength(days.length * 7);
});
