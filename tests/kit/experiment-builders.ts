import { v7 as uuid } from 'uuid';
import type { Testkit } from './testkit.ts';

interface Owner {
  readonly id: string;
  readonly mark: string;
}

/** A test of the profile's own that was given up long ago. Its name holds the mark. */
export async function buildExperiment({ app }: Pick<Testkit, 'app'>, { id: profileId, mark }: Owner): Promise<string> {
  const id = uuid();
  const at = new Date('2026-01-01T00:00:00Z');
  await app.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('experiments')
      .values({
        profile_id: profileId,
        id,
        name: `Experiment ${mark}`,
        kind: 'external',
        state: 'void',
        entity_ids: [],
        starts_on: '2026-01-01',
        ends_on: '2026-01-28',
        days: 28,
        cool_down_days: 0,
        created_at: at,
        ended_at: at,
      })
      .execute(),
  );
  return id;
}
