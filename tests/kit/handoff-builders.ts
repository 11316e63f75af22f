import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { testVault } from './operation-deps.ts';
import type { Testkit } from './testkit.ts';

interface Owner {
  readonly id: string;
  readonly mark: string;
}

/** Inserts a hand-off of the profile that expired long ago. Its link contains the mark. */
export async function buildHandoff({ app }: Pick<Testkit, 'app'>, { id: profileId, mark }: Owner): Promise<string> {
  const id = uuid();
  const capability = `${mark}-${id}`;
  const place = { table: 'handoffs', column: 'capability', row: id, profileId };
  const at = new Date('2026-01-01T00:00:00Z');
  await app.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('handoffs')
      .values({
        profile_id: profileId,
        id,
        provider: 'social_ads',
        status: 'cancelled',
        reason: 'user_cancelled',
        capability_hash: createHash('sha256').update(capability).digest(),
        capability: testVault.seal(capability, place),
        created_at: at,
        expires_at: at,
        completed_at: at,
      })
      .execute(),
  );
  return id;
}
