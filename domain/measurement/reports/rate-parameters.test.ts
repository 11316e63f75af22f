import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { maxRates, rateParameters } from './rate-parameters.ts';
import { openShop } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

const dayAt = (index: number) => new Date(Date.UTC(2026, 4, 31) - index * 86_400_000).toISOString().slice(0, 10);
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const codes = letters.flatMap((first) => letters.map((second) => `Q${first}${second}`));

describe('exchange rates as parameters', () => {
  test('joins consecutive days of a currency, in any order, and starts a new line after a gap', () => {
    const lines = [
      'EUR 2026-05-03 1.3',
      'EUR 2026-05-01 1.1',
      'CLP 2026-05-02 0.1',
      'EUR 2026-05-02 1.2',
      'EUR 2026-05-05 1.5',
    ];
    const { rates_1, rates_2 } = rateParameters(lines);
    expect(rates_1).toEqual(['CLP 2026-05-02 0.1', 'EUR 2026-05-01 1.1,1.2,1.3', 'EUR 2026-05-05 1.5']);
    expect(rates_2).toEqual([]);
  });

  test('holds every currency on every day of the longest report', () => {
    const lines = codes
      .slice(0, 180)
      .flatMap((code) =>
        Array.from({ length: 366 }, (_, index) => `${code} ${dayAt(index)} 1234.12345678901234567890`),
      );
    expect(lines.length).toBeLessThan(maxRates);
    const filled = Object.values(rateParameters(lines));
    expect(Math.max(...filled.map((some) => JSON.stringify(some).length))).toBeLessThan(128 * 1_024);
    expect(filled.flat().flatMap((line) => line.split(','))).toHaveLength(lines.length);
  });
});

test('reports and explains spend in 60 currencies over 400 days', async () => {
  const shop = await openShop(world);
  const currencies = (
    'AED AFN ALL AMD ARS AUD AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK ' +
    'DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK'
  ).split(' ');
  expect(currencies).toHaveLength(60);
  await world.kit.system.unbound.query(sql`
    INSERT INTO exchange_rates (currency, day, per_usd, source)
    SELECT c, d::date, CASE c WHEN 'USD' THEN 1 ELSE 2 + extract(doy FROM d) / 1000 END, 'test'
    FROM unnest(${[...currencies, 'USD']}::text[]) AS c CROSS JOIN generate_series('2025-04-27'::date, '2026-05-31'::date, interval '1 day') AS d
    ON CONFLICT DO NOTHING`);
  const rows = currencies.flatMap((currency, index) =>
    // The first and the last day of the report, and one day before it that does not count.
    [0, 365, 399].map((back) => ({
      external_id: `ad-${currency}`,
      campaign_external_id: `campaign-${index}`,
      date: dayAt(back),
      currency,
      spend: '10',
    })),
  );
  for (let from = 0; from < rows.length; from += 500) await shop.spend(...rows.slice(from, from + 500));
  await shop.settle();
  const days = { date_from: dayAt(365), date_to: dayAt(0) };
  const { data } = await shop.read('/campaigns', { ...days, limit: 100 });
  expect(data).toHaveLength(60);
  const { data: explained } = await shop.read('/explain', { field: 'spend', ...days, limit: 1 });
  expect(explained.row_count).toBe(120);
  const sum = data.reduce((all: number, row: { spend: number }) => all + row.spend, 0);
  expect(Number(explained.value)).toBeCloseTo(sum, 0);
}, 240_000);
