import { type ClickHouse, raw } from '@tributary/clickhouse';
import { reconcileNightly } from '@tributary/domain/measurement/reconciliation/module.ts';
import { createPostgres } from '@tributary/postgres';
import { dayMs, limits, minuteMs } from '@tributary/vocabulary';
import { command } from '../upgrade/old-version.ts';
import { type AlertsScene, asOwner, call, fireTimeoutMs, payment, root } from './alerts-scene.ts';
import { until } from './faults-scene.ts';

/** Deletes one of yesterday's conversions from ClickHouse and runs the nightly reconciliation. */
export async function loseConversion({ apiUrl, headers, clickhouse, engines, profileId }: AlertsScene) {
  await call(apiUrl, headers, 'events', { events: [payment('7.77', 'c-3', new Date(Date.now() - dayMs))] });
  await deleteConversion(clickhouse, await waitForConversion(clickhouse, 777));
  const system = createPostgres({ url: engines.database.systemUrl, poolSize: 1 });
  await reconcileNightly(system, new Date());
  return async () => {
    const { rows } = await asOwner(
      engines.database.ownerUrl,
      `SELECT id FROM reconciliations WHERE profile_id = '${profileId}' AND is_nightly ORDER BY requested_at DESC LIMIT 1`,
    );
    await call(apiUrl, headers, `reconciliations/${rows[0]?.id}/repair`, { kinds: ['missing_in_columns'] });
    await waitForConversion(clickhouse, 777);
    // Simulates the next night.
    await reconcileNightly(system, new Date(Date.now() + dayMs));
    await system.close();
  };
}

/** Deletes a conversion whose amount was changed before: its recorded history no longer adds up to the current value. */
export async function loseChangedConversion(scene: AlertsScene) {
  const { apiUrl, headers, clickhouse, operatorEnvironment, profileId } = scene;
  const at = new Date(Date.now() - dayMs);
  const first = payment('8.88', 'c-4', at);
  await call(apiUrl, headers, 'events', { events: [first] });
  await waitForConversion(clickhouse, 888);
  const changedAt = new Date().toISOString();
  await call(apiUrl, headers, 'events', { events: [{ ...first, properties: { value: '9.99', currency: 'USD' } }] });
  await deleteConversion(clickhouse, await waitForConversion(clickhouse, 999));
  const day = at.toISOString().slice(0, 10);
  const unexplained = async () => {
    const query = `field=outcome_value&from=${changedAt}&date_from=${day}&date_to=${day}`;
    const response = await fetch(`${apiUrl}/api/v1/changes?${query}`, { headers });
    const { data } = (await response.json()) as { data: { unexplained: string } };
    return Number(data.unexplained);
  };
  // Changes up to a moment are only reported once that moment is settled, so that no later event can alter them.
  const settledMs = limits.asOf.settledAfterMinutes * minuteMs;
  await until('a change has no cause', settledMs + fireTimeoutMs, async () => (await unexplained()) !== 0);
  return async () => {
    await command(root, operatorEnvironment, 'replay', '--profile', profileId);
    await until('every change has a cause', fireTimeoutMs, async () => (await unexplained()) === 0);
  };
}

/** Waits until ClickHouse has a conversion of this value and returns its id. */
async function waitForConversion(clickhouse: ClickHouse, minorUnits: number): Promise<string> {
  const query = raw<{ id: string }>(
    `SELECT toString(conversion_id) AS id FROM attributed_conversions FINAL WHERE value = ${minorUnits} AND NOT is_deleted`,
  );
  let id = '';
  await until('the conversion is in ClickHouse', fireTimeoutMs, async () => {
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
