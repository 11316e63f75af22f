import type { ClickHouse } from '@tributary/clickhouse';
import { afterAll } from 'vitest';
import { type ApiChanges, openApi, type TestApi } from './api.ts';
import { openTestkit, type Testkit } from './testkit.ts';
import { openWarehouse } from './warehouse.ts';

/**
 * The setup of most test files: databases and an API for this file, closed after the last test.
 *
 *     const { kit, api } = await openTest();
 */
export async function openTest(changes: ApiChanges = {}): Promise<{ kit: Testkit; api: TestApi }> {
  const kit = await openKit();
  const api = await openApi(kit, changes);
  afterAll(() => api.close());
  return { kit, api };
}

/** Like `openTest`, with a ClickHouse database, for tests that store visits, touches or reports. */
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

/** Only the databases, for tests that serve their own routes or none. */
export async function openKit(): Promise<Testkit> {
  const kit = await openTestkit();
  // Hooks run in reverse order, so the kit closes after everything that was opened on it.
  afterAll(() => kit.close());
  return kit;
}
