import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listRecordedOutcomes } from '@tributary/domain/notifications/webhooks/module.ts';
import { announce } from '@tributary/domain/tenancy/events';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { buildMarkedProfile, type Drill, Killable, openDrillEngines } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

const sizes = { small: { events: 2_000, cursors: 5 }, full: { events: 1_000_000, cursors: 20 } } as const;
const writers = 16;
const readers = 4;

/**
 * Sixteen writers record outcomes, some of them late, while a reader follows GET /outcomes/recorded from the start and stores cursors. Then
 * everything is read again from the start and from each stored cursor.
 */
export const drill: Drill = {
  name: 'webhook-replay',
  promise: 'A replay of outcomes loses none and repeats none while others write, and any two replays are identical.',

  async run({ size, progress }) {
    const { events, cursors } = sizes[size];
    const engines = await openDrillEngines('drill-webhook-replay', ['postgres']);
    const { database } = engines;
    const app = createPostgres({ url: database.appUrl, poolSize: writers + 2 });
    const owner = createPostgres({ url: database.ownerUrl, poolSize: 1 });
    try {
      const profile = await buildMarkedProfile({ app, owner });
      const sequencer = new Killable(join(import.meta.dirname, 'sequencer-process.ts'), [database.systemUrl]);
      await sequencer.start();
      const written = new Set<string>();
      const live: string[] = [];
      const stored: { cursor: string; at: number }[] = [];
      const following = (async () => {
        let cursor: string | undefined;
        while (live.length < events) {
          const page = await readPage(app, profile, cursor);
          live.push(...page.ids);
          cursor = page.cursor;
          if (live.length >= (events * (stored.length + 1)) / (cursors + 1)) stored.push({ cursor, at: live.length });
          progress(live.length, events);
          if (!page.hasNext) await sleep(20);
        }
      })();
      await Promise.all(
        Array.from({ length: writers }, (_, writer) => write(app, profile.id, share(events, writer), written)),
      );
      await following;
      await sequencer.kill();
      progress(0, stored.length, 'read from the start again');
      const again = await readFrom(app, profile, undefined);
      let differing = 0;
      let compared = 0;
      const left = [...stored];
      await Promise.all(
        Array.from({ length: readers }, async () => {
          for (let next = left.pop(); next; next = left.pop()) {
            const rest = await readFrom(app, profile, next.cursor);
            if (rest.join() !== again.slice(next.at).join()) differing += 1;
            compared += 1;
            progress(compared, stored.length, 'cursors read again');
          }
        }),
      );
      const followed = new Set(live);
      const lost = [...written].filter((id) => !followed.has(id)).length;
      const doubled = live.length - followed.size;
      const isSame = live.join() === again.join();
      return {
        passed: lost === 0 && doubled === 0 && isSame && differing === 0 && written.size === again.length,
        events: written.size,
        lost,
        doubled,
        two_replays_identical: isSame,
        stored_cursors: stored.length,
        cursors_that_differ: differing,
        writers,
      };
    } finally {
      await Promise.all([app.close(), owner.close()]);
      await engines.close();
    }
  },
};

const share = (events: number, writer: number): number =>
  Math.floor(events / writers) + (writer < events % writers ? 1 : 0);

interface Profile {
  readonly id: string;
  readonly appId: string;
}

/** Reads a page as the app that manages the profile does. */
async function readPage(app: Postgres, { id, appId }: Profile, cursor: string | undefined) {
  const caller = { profileId: id, appId, scopes: new Set(['conversions:read']), isHealthcare: false };
  const context = { ledger: app.forProfile(id), caller, mentions: () => {}, showKey: () => null };
  const { body } = await listRecordedOutcomes(
    { params: {}, query: { limit: 100, cursor }, body: undefined },
    context as never,
  );
  const { data, pagination } = body;
  return { ids: data.map((event) => event.id), hasNext: pagination.has_next, cursor: pagination.cursor as string };
}

async function readFrom(app: Postgres, profile: Profile, from: string | undefined): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = from; ; ) {
    const page = await readPage(app, profile, cursor);
    ids.push(...page.ids);
    if (!page.hasNext) return ids;
    cursor = page.cursor;
  }
}

async function write(app: Postgres, profileId: string, count: number, written: Set<string>): Promise<void> {
  for (let left = count; left > 0; ) {
    const some = Math.min(left, 1 + Math.floor(Math.random() * 50));
    const outcomes = Array.from({ length: some }, () => ({ outcomeId: uuid(), eventId: uuid() }));
    const now = new Date();
    await app.forProfile(profileId).transaction(async (tx) => {
      await sql`
        INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, occurred_at, recorded_at, updated_at, rest)
        SELECT ${profileId}, id, id::text, 'lead', 'lead', 'lead', 'lead', ${now}, ${now}, ${now}, '{}'
        FROM unnest(${outcomes.map(({ outcomeId }) => outcomeId)}::uuid[]) AS id`.execute(tx);
      await announce(
        tx,
        outcomes.map(({ outcomeId, eventId }) => ({
          id: eventId,
          type: 'outcome.recorded',
          data: {
            profile_id: profileId,
            outcome_id: outcomeId,
            provider: 'crm_a',
            outcome_type: 'lead_created',
            occurred_at: now.toISOString(),
            recorded_at: now.toISOString(),
            external_id: outcomeId,
            value: null,
          },
          occurredAt: now,
        })),
      );
      // A reader must not skip the events of a late commit.
      if (Math.random() < 0.2) await sleep(Math.random() * 50);
    });
    for (const { eventId } of outcomes) written.add(eventId);
    left -= some;
  }
}
