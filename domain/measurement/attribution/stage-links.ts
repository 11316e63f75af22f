import { randomUUID } from 'node:crypto';
import { type ClickHouse, dropPartition } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import { linkColumns } from './ledger-rows.ts';

/** Copies all browser links of a profile to ClickHouse while `use` reads them there under the batch's id. */
export async function withLinks<Result>(
  { app, clickhouse }: { readonly app: Postgres; readonly clickhouse: ClickHouse },
  profileId: string,
  use: (batchId: string) => Promise<Result>,
): Promise<Result> {
  const batchId = randomUUID();
  try {
    await app.snapshot(profileId, ({ copy }) =>
      clickhouse.insertText(
        'attribution_links',
        ['batch_id', 'profile_id', ...linkColumns],
        // COPY accepts no parameters; both values are ids that this code generates.
        copy(
          `SELECT '${batchId}', '${profileId}', visitor_id, customer_id FROM visitor_links WHERE profile_id = '${profileId}'`,
        ),
      ),
    );
    return await use(batchId);
  } finally {
    await dropPartition(clickhouse, 'attribution_links', batchId);
  }
}
