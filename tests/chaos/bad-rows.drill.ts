import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { raw } from '@tributary/clickhouse';
import { openIngestion, replayBadVisits, takeVisit } from '@tributary/domain/traffic/ingestion/module.ts';
import { markVerified } from '@tributary/domain/traffic/tracking/module.ts';
import { browserVisit, type Drill } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { type Canary, canaryWords, makeCanary } from './canaries.ts';
import { openVisitsScene, type VisitsScene } from './visits-scene.ts';

const sizes = {
  small: { malformed: 2_000, good: 1_000, canaries: 500 },
  full: { malformed: 100_000, good: 50_000, canaries: 10_000 },
} as const;
const perRequest = 25;
const lanes = 8;

/** Sends valid and invalid visits with personal data wherever a site might put it. Then replays the invalid ones with corrected parsing rules. */
export const drill: Drill = {
  name: 'bad-rows',
  promise:
    'Invalid visits are stored, counted and replayed after a fix, and no personal data reaches the visit stream, ClickHouse or the logs.',

  async run({ size, progress }) {
    const { malformed, good, canaries } = sizes[size];
    const scene = await openVisitsScene('drill-bad-rows', { BAD_VISIT_MEGABYTES_PER_DAY: '500' });
    try {
      const visits = makeVisits(malformed, good, canaries);
      await sendAll(scene, visits, progress);
      await scene.drained(240_000);
      const before = await scene.counts();
      const isStored = before.visits === good && before.bad === malformed && before.deadLetters === 0;

      const found = await findCanaries(scene);
      const replay = await replayBadVisits(
        openIngestion({
          postgres: scene.postgres,
          clickhouse: scene.clickhouse,
          ring: scene.ring,
          markVerified,
          badBytesPerDay: 500 << 20,
          now: () => new Date(),
        }),
        {
          profileId: scene.profileId,
          isDryRun: false,
          take: (sent, receivedAt, ownHosts) => takeVisit(mend(sent), receivedAt, ownHosts),
          progress: (done, total) => progress(done, total, 'replayed'),
        },
      );
      const after = await scene.counts();
      const foundAfter = await findCanaries(scene);
      const isClean = [found, foundAfter].every((stores) => Object.values(stores).every((count) => count === 0));
      return {
        passed:
          isStored &&
          isClean &&
          replay.replayed === malformed &&
          after.bad === 0 &&
          after.visits === good + malformed &&
          after.distinct === after.visits,
        sent: good + malformed,
        good_stored: before.visits,
        bad_kept: before.bad,
        dead_letters: before.deadLetters,
        canaries,
        canaries_found: found,
        replayed: replay.replayed,
        still_bad: replay.stillBad,
        stored_after_replay: after.visits,
        bad_after_replay: after.bad,
        canaries_found_after_replay: foundAfter,
      };
    } finally {
      await scene.close();
    }
  },
};

type RawVisit = Record<string, unknown>;

/** Each way to break a visit keeps the data that corrected parsing rules need to read it. `mend` represents those rules. */
const faults: readonly {
  readonly breaks: (visit: RawVisit) => RawVisit;
  readonly mends: (visit: RawVisit) => RawVisit;
}[] = [
  { breaks: ({ id, ...rest }) => ({ ...rest, visit: id }), mends: ({ visit, ...rest }) => ({ ...rest, id: visit }) },
  {
    breaks: ({ at, ...rest }) => ({ ...rest, at: Date.parse(at as string) }),
    mends: ({ at, ...rest }) => ({ ...rest, at: new Date(at as number).toISOString() }),
  },
  {
    breaks: (visit) => ({ ...visit, type: `old_${visit.type}` }),
    mends: (visit) => ({ ...visit, type: String(visit.type).slice(4) }),
  },
  {
    breaks: (visit) => ({ ...visit, session_id: `s-${visit.session_id}` }),
    mends: (visit) => ({ ...visit, session_id: String(visit.session_id).slice(2) }),
  },
  {
    breaks: (visit) => ({ ...visit, is_session_start: 'yes' }),
    mends: (visit) => ({ ...visit, is_session_start: true }),
  },
  {
    breaks: (visit) => ({ ...visit, url: [visit.url] }),
    mends: (visit) => ({ ...visit, url: (visit.url as string[])[0] }),
  },
  {
    breaks: (visit) => ({ ...visit, referrer: { was: visit.referrer } }),
    mends: (visit) => ({ ...visit, referrer: (visit.referrer as RawVisit).was }),
  },
];

function mend(sent: unknown): unknown {
  const { fault, ...visit } = sent as RawVisit & { fault: number };
  return faults[fault]?.mends(visit) ?? visit;
}

/** Returns the visits in sending order, with the valid ones spread evenly among the invalid ones. */
function makeVisits(malformed: number, good: number, canaries: number): RawVisit[] {
  const total = malformed + good;
  return Array.from({ length: total }, (_, index) => {
    const hasCanary = Math.floor((index * canaries) / total) > Math.floor(((index - 1) * canaries) / total);
    const visit = withCanary(browserVisit(new Date()), hasCanary ? makeCanary(index) : undefined);
    const isGood = Math.floor((index * good) / total) > Math.floor(((index - 1) * good) / total) || index === 0;
    const fault = index % faults.length;
    return isGood ? visit : { ...faults[fault]?.breaks(visit), fault };
  });
}

function withCanary(visit: RawVisit, canary: Canary | undefined): RawVisit {
  if (!canary) return visit;
  const { email, phone, token, position } = canary;
  const address = (path: string) => `https://shop.example/${path}`;
  const placements: readonly (() => RawVisit)[] = [
    () => ({ ...visit, type: 'identify', traits: { email, phone } }),
    () => ({ ...visit, type: 'track', name: 'lead_created', properties: { email, note: `call ${phone}` } }),
    () => ({ ...visit, url: address(`welcome?email=${encodeURIComponent(email)}&tel=${encodeURIComponent(phone)}`) }),
    () => ({ ...visit, url: address(`u/${encodeURIComponent(email)}/orders#reset=${token}`) }),
    () => ({ ...visit, url: address(`go?next=${encodeURIComponent(address(`?who=${encodeURIComponent(email)}`))}`) }),
    () => ({ ...visit, referrer: address(`confirm/${token}?mail=${email}`) }),
    () => ({ ...visit, referrer: `https://mail.example/inbox/${encodeURIComponent(email)}?t=${token}` }),
    () => ({ ...visit, link_token: token, url: address(`?svc_t=${token}&gclid=${token}`) }),
  ];
  return placements[position % placements.length]?.() ?? visit;
}

async function sendAll(
  scene: VisitsScene,
  visits: readonly RawVisit[],
  progress: (done: number, total: number, note?: string) => void,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < visits.length) {
      const from = next;
      next += perRequest;
      const body = JSON.stringify({ key: scene.key, client_id: uuid(), visits: visits.slice(from, from + perRequest) });
      const status = await scene.post(body);
      if (status !== 204) throw new Error(`The collector returned ${status}.`);
      progress(Math.min(next, visits.length), visits.length, 'sent');
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Counts canaries where personal data is not allowed: the files of the visit stream, ClickHouse, and the logs of our processes. */
async function findCanaries(scene: VisitsScene): Promise<Record<'stream' | 'clickhouse' | 'logs', number>> {
  const { directory } = await scene.engines.supervisor.place('nats');
  let stream = 0;
  for (const file of readdirSync(join(directory, 'data'), { recursive: true, withFileTypes: true })) {
    if (file.isFile()) stream += canaryWords(readFileSync(join(file.parentPath, file.name), 'latin1'));
  }
  let clickhouse = 0;
  for (const table of ['visits', 'touches']) {
    for await (const row of scene.clickhouse.stream(raw(`SELECT * FROM ${table}`), {}))
      clickhouse += canaryWords(JSON.stringify(row));
  }
  const logs = canaryWords([...scene.collector.lines, ...scene.worker.lines].join('\n'));
  return { stream, clickhouse, logs };
}
