import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { deleteProfileRows } from './delete-profile-rows.ts';
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
const mutations = async (profile_id: string) =>
  Number(
    (
      await scratch.client.query(
        raw<{ n: string }>(
          "SELECT count() AS n FROM system.mutations WHERE database = currentDatabase() AND table = 'visits' AND position(command, {id:String}) > 0",
        ),
        { id: profile_id },
      )
    )[0]?.n,
  );

test('deletes every row of the profile and none of another', async () => {
  const [gone, kept] = [visit(), visit()];
  await scratch.client.insert('visits', [gone, visit({ profile_id: gone.profile_id }), kept]);
  const forget = () => deleteProfileRows(scratch.client.settings, gone.profile_id);
  expect(await forget()).toBeGreaterThanOrEqual(2);
  await vi.waitFor(async () => expect(await forget()).toBe(0), { timeout: 10_000, interval: 50 });
  expect([await rows(gone.profile_id), await rows(kept.profile_id)]).toEqual([0, 1]);
});

test('does not start a running deletion again, and deletes rows that arrived since', async () => {
  const gone = visit();
  await scratch.client.insert('visits', [gone]);
  await scratch.client.command(raw('SYSTEM STOP MERGES visits'), {});
  const forget = () => deleteProfileRows(scratch.client.settings, gone.profile_id);
  expect(await forget()).toBeGreaterThan(0);
  expect(await forget()).toBeGreaterThan(0);
  expect(await mutations(gone.profile_id)).toBe(1);
  await scratch.client.command(raw('SYSTEM START MERGES visits'), {});
  await vi.waitFor(async () => expect(await forget()).toBe(0), { timeout: 10_000, interval: 50 });
  await scratch.client.insert('visits', [visit({ profile_id: gone.profile_id })]);
  await vi.waitFor(async () => expect(await forget()).toBe(0), { timeout: 10_000, interval: 50 });
  expect(await mutations(gone.profile_id)).toBe(2);
});
