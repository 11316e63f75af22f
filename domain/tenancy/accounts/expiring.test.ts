import { sweepExpired } from '@tributary/postgres';
import { buildMember, buildProfile, openKit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';

const kit = await openKit();

test('deletes only expired sessions and verifications', async () => {
  const now = kit.clock.now();
  const { workspaceId } = await buildProfile(kit.app);
  const member = await buildMember(kit.app, workspaceId);
  const times = { created_at: now, updated_at: now };
  const [expired, live] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
  await kit.app.unbound.transaction(async (tx) => {
    for (const expires_at of [expired, live]) {
      const id = uuid();
      await tx
        .insertInto('sessions')
        .values({ id, user_id: member.userId, token: id, expires_at, ...times })
        .execute();
      await tx
        .insertInto('verifications')
        .values({ id, identifier: id, value: '{}', expires_at, ...times })
        .execute();
    }
  });
  expect(await sweepExpired({ ledger: kit.system.unbound, now, signal: new AbortController().signal })).toBe(2);
  const remaining = await kit.app.unbound.transaction(async (tx) => [
    ...(await tx.selectFrom('sessions').select('expires_at').where('id', '<>', member.sessionId).execute()),
    ...(await tx.selectFrom('verifications').select('expires_at').execute()),
  ]);
  expect(remaining).toEqual([{ expires_at: live }, { expires_at: live }]);
});
