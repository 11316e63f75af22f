import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetProfile } from './forget-profile.ts';
import { raw } from './queries.ts';
import { createScratch, type Scratch } from './scratch.ts';
import { visit } from './visit.fixture.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
});
afterAll(() => scratch.drop());

const rows = async (profile_id: string) =>
  Number(
    (
      await scratch.client.query(raw<{ n: string }>('SELECT count() AS n FROM visits WHERE profile_id = {id:UUID}'), {
        id: profile_id,
      })
    )[0]?.n,
  );

test('a forgotten profile has no row left, and another keeps its own', async () => {
  const [gone, kept] = [visit(), visit()];
  await scratch.client.insert('visits', [gone, visit({ profile_id: gone.profile_id }), kept]);
  await forgetProfile(scratch.client.settings, gone.profile_id);
  await forgetProfile(scratch.client.settings, gone.profile_id);
  expect([await rows(gone.profile_id), await rows(kept.profile_id)]).toEqual([0, 1]);
});
