import { v7 as uuid } from 'uuid';
import type { Testkit } from './testkit.ts';

interface Owner {
  readonly id: string;
  readonly mark: string;
}

/** Inserts a planned experiment of the profile that has not started. Its name contains the mark. */
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
        kind: 'regions',
        state: 'draft',
        entity_ids: [],
        starts_on: '2036-01-01',
        ends_on: '2036-01-28',
        days: 28,
        cool_down_days: 0,
        pairs: JSON.stringify([]),
        held_out: [],
        seed: 1,
        power: JSON.stringify({
          smallest_effect_pct: 2,
          expected_effect_pct: 8,
          verdict: 'enough',
          regions: 40,
          purchases_before: 4_000,
        }),
        created_at: at,
      })
      .execute(),
  );
  return id;
}
