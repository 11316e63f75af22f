import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { browserVisit, type Drill } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { type App, apps, type FaultsScene, openFaultsScene, until } from './faults-scene.ts';

const minute = 60_000;
const day = 1_440 * minute;
const skews = [20 * minute, -20 * minute, day, -day];
const sizes = {
  small: {
    cases: apps.map((app, index): Case => ({ app, skewMs: [day, -20 * minute, -day][index] ?? day })),
    seconds: 3,
  },
  full: { cases: apps.flatMap((app) => skews.map((skewMs): Case => ({ app, skewMs }))), seconds: 60 },
} as const;
const perSecond = 10;
/** Tolerance for slow requests on a busy machine. */
const slackMs = 30_000;
const drainMs = 120_000;

interface Case {
  readonly app: App;
  readonly skewMs: number;
}

/** Shifts the clock of one process at a time while events without a timestamp and visits arrive. */
export const drill: Drill = {
  name: 'clock',
  promise:
    'With clock skew in the api, collector or worker, every event and visit is recorded with the correct time, no visit is invalid, and /readyz reports the skew.',

  async run({ size, progress }) {
    const { cases, seconds } = sizes[size];
    const scene = await openFaultsScene('drill-clock', { hasDisks: false });
    const events = new Map<string, number>();
    const visits = new Map<string, number>();
    const refused: Record<string, number> = {};
    const notReported: string[] = [];
    try {
      for (const [index, { app, skewMs }] of cases.entries()) {
        const name = `${app} ${skewMs > 0 ? '+' : ''}${skewMs / minute} min`;
        progress(index, cases.length, name);
        scene.moveClock(skewMs, [app]);
        if (app !== 'worker')
          await until(`/readyz of ${name} reports the clock`, 15_000, () => reportsClock(scene, app)).catch(() =>
            notReported.push(name),
          );
        for (let n = 0; n < seconds * perSecond; n += 1) {
          await Promise.all([send(scene, events, refused), visit(scene, visits, refused), sleep(1_000 / perSecond)]);
        }
      }
      scene.moveClock(0);
      await scene.drained(drainMs);
      const { ledgerWrong, missing } = await checkEvents(scene, events);
      const { visitsWrong, visitsMissing } = await checkVisits(scene, visits);
      const { bad, deadLetters } = await scene.counts();
      return {
        passed:
          [ledgerWrong, missing, visitsWrong, visitsMissing, bad, deadLetters, notReported.length].every(
            (n) => n === 0,
          ) && Object.keys(refused).length === 0,
        cases: cases.length,
        events: events.size,
        events_missing: missing,
        events_at_a_wrong_time: ledgerWrong,
        visits: visits.size,
        visits_missing: visitsMissing,
        visits_at_a_wrong_time: visitsWrong,
        invalid_visits: bad,
        dead_letters: deadLetters,
        refused,
        clocks_not_reported: notReported,
      };
    } finally {
      await scene.close();
    }
  },
};

async function reportsClock({ apiUrl, collectorUrl }: FaultsScene, app: 'api' | 'collector'): Promise<boolean> {
  const response = await fetch(`${app === 'api' ? apiUrl : collectorUrl}/readyz`);
  const { engines } = (await response.json()) as { engines: Record<string, string> };
  return response.status === 503 && engines.clock === 'away';
}

type Sent = Map<string, number>;

async function send({ apiUrl, headers }: FaultsScene, sent: Sent, refused: Record<string, number>): Promise<void> {
  const key = uuid();
  sent.set(key, Date.now());
  const response = await fetch(`${apiUrl}/api/v1/events`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      event_name: 'payment_received',
      idempotency_key: key,
      properties: { value: '1.00', currency: 'USD' },
      user_traits: { external_id: key },
    }),
  });
  await response.arrayBuffer();
  if (response.status !== 202) refused[`event ${response.status}`] = (refused[`event ${response.status}`] ?? 0) + 1;
}

async function visit(scene: FaultsScene, sent: Sent, refused: Record<string, number>): Promise<void> {
  const browsed = browserVisit(new Date());
  sent.set(String(browsed.id), Date.now());
  const status = await scene.post(JSON.stringify({ key: scene.key, client_id: uuid(), visits: [browsed] }));
  if (status !== 204) refused[`visit ${status}`] = (refused[`visit ${status}`] ?? 0) + 1;
}

const isOff = (sentMs: number | undefined, at: Date) => Math.abs(at.getTime() - (sentMs ?? 0)) > slackMs;

async function checkEvents({ postgres, profileId }: FaultsScene, sent: Sent) {
  const { rows } = await postgres.forProfile(profileId).transaction((tx) =>
    sql<{ key: string; occurred: Date; recorded: Date }>`
      SELECT idempotency_key AS key, occurred_at AS occurred, recorded_at AS recorded FROM outcomes`.execute(tx),
  );
  return {
    ledgerWrong: rows.filter(
      ({ key, occurred, recorded }) => isOff(sent.get(key), occurred) || isOff(sent.get(key), recorded),
    ).length,
    missing: sent.size - rows.length,
  };
}

async function checkVisits({ clickhouse }: FaultsScene, sent: Sent) {
  const rows = await clickhouse.query(
    raw<{ id: string; occurred: string; received: string }>(
      'SELECT visit_id AS id, toString(toUnixTimestamp64Milli(occurred_at)) AS occurred, toString(toUnixTimestamp64Milli(received_at)) AS received FROM visits FINAL',
    ),
    {},
  );
  return {
    visitsWrong: rows.filter(({ id, occurred, received }) =>
      [occurred, received].some((at) => isOff(sent.get(id), new Date(Number(at)))),
    ).length,
    visitsMissing: sent.size - rows.length,
  };
}
