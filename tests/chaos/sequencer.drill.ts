import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { announce } from '@tributary/domain/tenancy/events';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { buildProfile, type Drill, Killable, openDrillEngines } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';

const sizes = { small: { rows: 20_000, kills: 4 }, full: { rows: 1_000_000, kills: 20 } } as const;
const writers = 16;

/**
 * Sixteen writers commit 1 to 50 events per transaction, some of them late. The sequencer process is killed repeatedly with SIGKILL while
 * events wait. A reader follows the numbers from the start, as a subscriber does.
 */
export const drill: Drill = {
  name: 'sequencer',
  promise: 'Every committed event is numbered once, and a reader that follows the numbers misses none.',

  async run({ size, progress }) {
    const { rows, kills } = sizes[size];
    const engines = await openDrillEngines('drill-sequencer', ['postgres']);
    const { database } = engines;
    try {
      const app = createPostgres({ url: database.appUrl, poolSize: writers });
      const system = createPostgres({ url: database.systemUrl, poolSize: 2 });
      const profile = await buildProfile(app);

      const written = new Set<string>();
      const reader = follow(system, rows);
      const sequencer = new Killable(join(import.meta.dirname, 'sequencer-process.ts'), [database.systemUrl]);
      const killing = keepKilling(
        sequencer,
        kills,
        () => reader.seen.length / rows,
        () => written.size - reader.seen.length,
      );
      const ticker = setInterval(() => progress(reader.seen.length, rows, `${sequencer.kills} kills`), 250);
      await Promise.all(Array.from({ length: writers }, (_, writer) => write(app, profile.id, writer, rows, written)));
      await reader.done;
      clearInterval(ticker);
      progress(rows, rows);
      const leastInFlight = await killing;
      await sequencer.kill();
      await Promise.all([app.close(), system.close()]);

      const ids = new Set(reader.seen.map((event) => event.id));
      const missed = [...written].filter((id) => !ids.has(id)).length;
      const twice = reader.seen.length - ids.size;
      const gaps = reader.seen.filter((event, index) => Number(event.sequence) !== index + 1).length;
      return {
        passed: missed === 0 && twice === 0 && gaps === 0 && leastInFlight > 0,
        rows: written.size,
        read: reader.seen.length,
        missed,
        numbered_twice: twice,
        out_of_place: gaps,
        writers,
        kills,
        least_in_flight_at_kill: leastInFlight,
      };
    } finally {
      await engines.close();
    }
  },
};

async function write(
  app: Postgres,
  profileId: string,
  writer: number,
  rows: number,
  written: Set<string>,
): Promise<void> {
  const ledger = app.forProfile(profileId);
  let left = Math.floor(rows / writers) + (writer < rows % writers ? 1 : 0);
  while (left > 0) {
    const count = Math.min(left, 1 + Math.floor(Math.random() * 50));
    const ids = Array.from({ length: count }, () => uuid());
    await ledger.transaction(async (tx) => {
      const occurredAt = new Date();
      await announce(
        tx,
        ids.map((id) => ({
          id,
          type: 'recompute.completed',
          data: { profile_id: profileId, replay_id: id, cause: `writer ${writer}`, conversions: 0 },
          occurredAt,
        })),
      );
      // Late commits would make numbers assigned inside the transaction unsafe.
      if (Math.random() < 0.2) await sleep(Math.random() * 50);
    });
    for (const id of ids) written.add(id);
    left -= count;
  }
}

/** Reads as a subscriber does: all events after the last number that it has read. */
function follow(system: Postgres, rows: number) {
  const seen: { id: string; sequence: string }[] = [];
  const loop = async () => {
    while (seen.length < rows) {
      const after = seen.at(-1)?.sequence ?? '0';
      const page = await system.unbound.transaction((tx) =>
        tx
          .selectFrom('event_log')
          .select(['id', 'sequence'])
          .where('sequence', '>', after)
          .orderBy('sequence')
          .limit(2_000)
          .execute(),
      );
      seen.push(...page);
      if (page.length === 0) await sleep(10);
    }
  };
  return { seen, done: loop() };
}

/** Kills the sequencer process `kills` times, spread over the run and each time with events waiting. Resolves to the fewest waiting events. */
function keepKilling(sequencer: Killable, kills: number, share: () => number, waiting: () => number) {
  let leastInFlight = Number.POSITIVE_INFINITY;
  const loop = async () => {
    await sequencer.start();
    while (sequencer.kills < kills) {
      await sleep(5);
      if (share() < (sequencer.kills + 0.5) / (kills + 1) || waiting() === 0) continue;
      leastInFlight = Math.min(leastInFlight, waiting());
      await sequencer.kill();
      await sequencer.start();
    }
  };
  return loop().then(() => leastInFlight);
}
