import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { openEventSender, openTest, paymentEvent } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';

const { kit, api } = await openTest();
const directory = mkdtempSync(join(tmpdir(), 'rates-'));
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => kit.owner.unbound.query(sql`TRUNCATE exchange_rates`));

const importRates = (...lines: string[]) => {
  const file = join(directory, 'rates.csv');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), 'rates', 'import', file, '--json'],
    {
      env: {
        ...process.env,
        BASE_URL: 'http://127.0.0.1',
        DATABASE_APP_URL: kit.database.appUrl,
        DATABASE_OWNER_URL: kit.database.ownerUrl,
        DATABASE_SYSTEM_URL: kit.database.systemUrl,
        ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
      },
    },
  );
};
const rates = async () =>
  (
    await kit.system.unbound.query(
      sql<{ line: string }>`
        SELECT day || ' ' || currency || ' ' || trim_scale(per_usd) AS line FROM exchange_rates ORDER BY 1`,
    )
  ).rows.map(({ line }) => line);

test("imports a custom file of rates with each day's dollar rate, and importing again corrects them", async () => {
  const { stdout } = await importRates('day,currency,per_usd', '2026-05-04,CLP,951.23', '2026-05-05,PEN,3.7');
  expect(JSON.parse(stdout)).toEqual({ rates: 2, outcomes_converted: 0 });
  await importRates('day,currency,per_usd', '2026-05-04,CLP,950');
  expect(await rates()).toEqual(['2026-05-04 CLP 950', '2026-05-04 USD 1', '2026-05-05 PEN 3.7', '2026-05-05 USD 1']);
});

test("imported rates are never overwritten by a bank's", async () => {
  await importRates('day,currency,per_usd', '2026-05-07,CLP,940');
  await saveRates(kit.system, 'ecb', [{ day: '2026-05-07', currency: 'CLP', units: '945', usd: '1' }]);
  expect(await rates()).toContain('2026-05-07 CLP 940');
});

test('payments without a rate are converted by the import', async () => {
  const shop = await openEventSender(kit, api);
  await shop.post(paymentEvent({ value: '37', currency: 'BOB', day: 11 }));
  const worth = async () =>
    (await shop.outcomes()).map(({ reporting_amount }) => reporting_amount && +reporting_amount);
  expect(await worth()).toEqual([null]);
  const { stdout } = await importRates('day,currency,per_usd', '2026-05-10,CLP,900', '2026-05-10,BOB,7.4');
  expect(JSON.parse(stdout)).toEqual({ rates: 2, outcomes_converted: 1 });
  expect(await worth()).toEqual([4_500]);
});

test('an invalid row is reported with its line', async () => {
  await expect(importRates('day,currency,per_usd', '2026-05-06,CLP,"951,23"')).rejects.toThrow('Line 2 is no rate');
  expect((await rates()).join()).not.toContain('2026-05-06');
});
