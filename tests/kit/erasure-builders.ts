import { v7 as uuid } from 'uuid';
import type { Testkit } from './testkit.ts';

interface Owner {
  readonly id: string;
  readonly mark: string;
}

const at = new Date('2026-01-01T00:00:00Z');

/** Inserts an old erasure receipt of the profile. The name of its request contains the mark. */
export async function buildErasure({ app }: Pick<Testkit, 'app'>, { id: profileId, mark }: Owner): Promise<string> {
  const id = uuid();
  await app.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('erasures')
      .values({
        profile_id: profileId,
        id,
        request_ref: `${mark}:${id}`,
        status: 'done',
        reason: 'other',
        requested_at: at,
        completed_at: at,
        cleared: {},
      })
      .execute(),
  );
  return id;
}
