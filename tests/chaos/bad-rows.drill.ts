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

/** Malformed visits beside good ones, both with personal things wherever a site might put them; then the rules learn, and all is replayed. */
export const drill: Drill = {
  name: 'bad-rows',
  promise:
    'What cannot be understood is kept, counted and replayed after a fix, and nothing personal is where it must not be.',

  async run({ size, progress }) {
    const { malformed, good, canaries } = sizes[size];
    const scene = await openVisitsScene('drill-bad-rows', { BAD_VISIT_MEGABYTES_PER_DAY: '500' });
    try {
      const made = makeVisits(malformed, good, canaries);
      await sendAll(scene, made, progress);
      await scene.drained(240_000);
      const before = await scene.counts();
      const kept = before.visits === good && before.bad === malformed && before.deadLetters === 0;

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
      const isClean = [found, foundAfter].every((places) => Object.values(places).every((count) => count === 0));
      return {
        passed:
          kept &&
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

type Sent = Record<string, unknown>;

/** Each way to break a visit keeps what a better version of the rules needs to read it. `mend` is that version. */
const faults: readonly { readonly breaks: (visit: Sent) => Sent; readonly mends: (visit: Sent) => Sent }[] = [
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
    mends: (visit) => ({ ...visit, referrer: (visit.referrer as Sent).was }),
  },
];

function mend(sent: unknown): unknown {
  const { fault, ...visit } = sent as Sent & { fault: number };
  return faults[fault]?.mends(visit) ?? visit;
}

/** In the order in which they are sent: a good one now and then among the others. */
function makeVisits(malformed: number, good: number, canaries: number): Sent[] {
  const total = malformed + good;
  return Array.from({ length: total }, (_, index) => {
    const canary = Math.floor((index * canaries) / total) > Math.floor(((index - 1) * canaries) / total);
    const visit = withCanary(browserVisit(new Date()), canary ? makeCanary(index) : undefined);
    const isGood = Math.floor((index * good) / total) > Math.floor(((index - 1) * good) / total) || index === 0;
    const fault = index % faults.length;
    return isGood ? visit : { ...faults[fault]?.breaks(visit), fault };
  });
}

function withCanary(visit: Sent, canary: Canary | undefined): Sent {
  if (!canary) return visit;
  const { email, phone, token, place } = canary;
  const address = (path: string) => `https://shop.example/${path}`;
  const ways: readonly (() => Sent)[] = [
    () => ({ ...visit, type: 'identify', traits: { email, phone } }),
    () => ({ ...visit, type: 'track', name: 'lead_created', properties: { email, note: `call ${phone}` } }),
    () => ({ ...visit, url: address(`welcome?email=${encodeURIComponent(email)}&tel=${encodeURIComponent(phone)}`) }),
    () => ({ ...visit, url: address(`u/${encodeURIComponent(email)}/orders#reset=${token}`) }),
    () => ({ ...visit, url: address(`go?next=${encodeURIComponent(address(`?who=${encodeURIComponent(email)}`))}`) }),
    () => ({ ...visit, referrer: address(`confirm/${token}?mail=${email}`) }),
    () => ({ ...visit, referrer: `https://mail.example/inbox/${encodeURIComponent(email)}?t=${token}` }),
    () => ({ ...visit, link_token: token, url: address(`?svc_t=${token}&gclid=${token}`) }),
  ];
  return ways[place % ways.length]?.() ?? visit;
}

async function sendAll(
  scene: VisitsScene,
  visits: readonly Sent[],
  progress: (done: number, total: number, note?: string) => void,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < visits.length) {
      const from = next;
      next += perRequest;
      const body = JSON.stringify({ key: scene.key, client_id: uuid(), visits: visits.slice(from, from + perRequest) });
      const status = await scene.post(body);
      if (status !== 204) throw new Error(`The collector answered ${status}.`);
      progress(Math.min(next, visits.length), visits.length, 'sent');
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Everywhere that nothing personal may be: the log's own files, all columns, and whatever our processes said. */
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
