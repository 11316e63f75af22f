import { type ClickHouse, raw } from '@tributary/clickhouse';
import { reconcileNightly } from '@tributary/domain/measurement/reconciliation/module.ts';
import { createPostgres } from '@tributary/postgres';
import { dayMs, limits, minuteMs } from '@tributary/vocabulary';
import { command } from '../upgrade/old-version.ts';
import { asOwner, call, firesWithinMs, payment, root, type Watched } from './alerts-scene.ts';
import { until } from './faults-scene.ts';

/** A conversion of yesterday goes from the columns without a trace, and the books are compared as they are every night. */
export async function loseConversion({ apiUrl, headers, clickhouse, engines, profileId }: Watched) {
  await call(apiUrl, headers, 'events', { events: [payment('7.77', 'c-3', new Date(Date.now() - dayMs))] });
  await deleteConversion(clickhouse, await conversionOf(clickhouse, 777));
  const system = createPostgres({ url: engines.database.systemUrl, poolSize: 1 });
  await reconcileNightly(system, new Date());
  return async () => {
    const { rows } = await asOwner(
      engines.database.ownerUrl,
      `SELECT id FROM reconciliations WHERE profile_id = '${profileId}' AND is_nightly ORDER BY requested_at DESC LIMIT 1`,
    );
    await call(apiUrl, headers, `reconciliations/${rows[0]?.id}/repair`, { kinds: ['missing_in_columns'] });
    await conversionOf(clickhouse, 777);
    // The next night.
    await reconcileNightly(system, new Date(Date.now() + dayMs));
    await system.close();
  };
}

/** The same with one that has a past: what it was worth before is remembered, and no longer adds up to what it is worth now. */
export async function loseChangedConversion(scene: Watched) {
  const { apiUrl, headers, clickhouse, operatorEnvironment, profileId } = scene;
  const at = new Date(Date.now() - dayMs);
  const first = payment('8.88', 'c-4', at);
  await call(apiUrl, headers, 'events', { events: [first] });
  await conversionOf(clickhouse, 888);
  const moment = new Date().toISOString();
  await call(apiUrl, headers, 'events', { events: [{ ...first, properties: { value: '9.99', currency: 'USD' } }] });
  await deleteConversion(clickhouse, await conversionOf(clickhouse, 999));
  const day = at.toISOString().slice(0, 10);
  const unexplained = async () => {
    const asked = `field=outcome_value&from=${moment}&date_from=${day}&date_to=${day}`;
    const answer = await fetch(`${apiUrl}/api/v1/changes?${asked}`, { headers });
    const { data } = (await answer.json()) as { data: { unexplained: string } };
    return Number(data.unexplained);
  };
  // A moment is told of when nothing more will become known of it.
  const settledMs = limits.asOf.settledAfterMinutes * minuteMs;
  await until('a change has no cause', settledMs + firesWithinMs, async () => (await unexplained()) !== 0);
  return async () => {
    await command(root, operatorEnvironment, 'replay', '--profile', profileId);
    await until('every change has a cause', firesWithinMs, async () => (await unexplained()) === 0);
  };
}

/** The conversion that is worth so much, as soon as the columns have it. */
async function conversionOf(clickhouse: ClickHouse, minorUnits: number): Promise<string> {
  const query = raw<{ id: string }>(
    `SELECT toString(conversion_id) AS id FROM attributed_conversions FINAL WHERE value = ${minorUnits} AND NOT is_deleted`,
  );
  let id = '';
  await until('the conversion is in the columns', firesWithinMs, async () => {
    id = (await clickhouse.query(query, {}))[0]?.id ?? '';
    return id !== '';
  });
  return id;
}

const deleteConversion = (clickhouse: ClickHouse, id: string) =>
  clickhouse.command(
    raw(`ALTER TABLE attributed_conversions DELETE WHERE conversion_id = '${id}' SETTINGS mutations_sync = 1`),
    {},
  );
