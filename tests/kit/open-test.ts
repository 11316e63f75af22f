import type { ClickHouse } from '@tributary/clickhouse';
import { afterAll } from 'vitest';
import { type ApiChanges, openApi, type TestApi } from './api.ts';
import { openTestkit, type Testkit } from './testkit.ts';
import { openWarehouse } from './warehouse.ts';

/**
 * What most files of tests begin with: databases and an API of their own, closed after the last test.
 *
 *     const { kit, api } = await openTest();
 */
export async function openTest(changes: ApiChanges = {}): Promise<{ kit: Testkit; api: TestApi }> {
  const kit = await openKit();
  const api = await openApi(kit, changes);
  afterAll(() => api.close());
  return { kit, api };
}

/** The same with a ClickHouse database, which those need whose visits, touches or reports are stored. */
export async function openTestWithClickHouse(
  changes: ApiChanges = {},
): Promise<{ kit: Testkit; api: TestApi; clickhouse: ClickHouse }> {
  const kit = await openKit();
  const warehouse = await openWarehouse(kit);
  afterAll(() => warehouse.drop());
  const api = await openApi(kit, { clickhouse: warehouse.client, ...changes });
  afterAll(() => api.close());
  return { kit, api, clickhouse: warehouse.client };
}

/** The databases alone, for those that serve routes of their own or none. */
export async function openKit(): Promise<Testkit> {
  const kit = await openTestkit();
  // What was opened last is closed first.
  afterAll(() => kit.close());
  return kit;
}
