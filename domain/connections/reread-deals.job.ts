import type { Postgres } from '@tributary/postgres';
import { type Channel, channels } from '@tributary/vocabulary';
import { listLive } from './store.ts';
import { startOver } from './sync-store.ts';

/** A stage counts as something else now: its deals are only said again by a sync that begins with the first. */
export async function rereadDeals(app: Postgres, { profileId }: { profileId: string }, now: Date): Promise<void> {
  await app.forProfile(profileId).transaction(async (tx) => {
    for (const row of await listLive(tx, profileId)) {
      if (channels[row.channel as Channel].kind === 'crm') await startOver(tx, row, now);
    }
  });
}
