import { buildProfile, openKit } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findRates, saveRates } from './exchange-rates.ts';

const kit = await openKit();
const quote = (day: string, currency: string, units: string) => ({ day, currency, units, usd: '1' });

test('rates from the operator’s file are overwritten only by the file, never by a bank', async () => {
  const readPesoRate = async () => {
    const { rows } = await kit.system.unbound.query(
      sql<{ per_usd: string }>`SELECT per_usd::float8::text AS per_usd FROM exchange_rates WHERE currency = 'ARS'`,
    );
    return rows.map(({ per_usd }) => per_usd);
  };
  const stored: string[][] = [];
  for (const [source, units] of [
    ['bcch', '900'],
    ['ecb', '901'],
    ['file', '950'],
    ['bcch', '902'],
    ['file', '951'],
  ] as const) {
    await saveRates(kit.system, source, [quote('2026-03-02', 'ARS', units)]);
    stored.push(await readPesoRate());
  }
  expect(stored).toEqual([['900'], ['901'], ['950'], ['950'], ['951']]);
});

test('uses the rate of the day in the profile’s time zone', async () => {
  const { id } = await buildProfile(kit.app, { timeZone: 'America/Santiago', reportingCurrency: 'USD' });
  await saveRates(kit.system, 'file', [
    quote('2026-06-01', 'CLP', '900'),
    quote('2026-06-02', 'CLP', '800'),
    quote('2026-06-01', 'USD', '1'),
  ]);
  // In Santiago the second day begins at 04:00 UTC.
  const moments = ['2026-06-01T05:00:00Z', '2026-06-02T03:59:59Z', '2026-06-02T04:00:00Z'].map((at) => new Date(at));
  const amounts = moments.map((at) => ({ currency: 'CLP', at }));
  const rates = await kit.app.forProfile(id).transaction((tx) => findRates(tx, id, amounts));
  expect(moments.map((at) => rates.find('CLP', at)?.rateDate)).toEqual(['2026-06-01', '2026-06-01', '2026-06-01']);
  expect(moments.map((at) => Number(rates.find('CLP', at)?.rate).toFixed(6))).toEqual([
    (1 / 900).toFixed(6),
    (1 / 900).toFixed(6),
    (1 / 800).toFixed(6),
  ]);
});
