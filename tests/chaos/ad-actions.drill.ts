import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  connectMeta,
  type Drill,
  freePort,
  httpApi,
  Killable,
  openAdPlatform,
  openDrillKit,
  recordAds,
  sandboxReply,
  scene,
} from '@tributary/testkit';
import { sql } from 'kysely';
import { Agent } from 'undici';
import { v7 as uuid } from 'uuid';
import { numbersFrom } from './numbers-from.ts';

const sizes = {
  small: { actions: 20, kills: 1, clients: 10, patienceMs: 1_000, timeoutMs: 400 },
  full: { actions: 1_000, kills: 20, clients: 100, patienceMs: 4_000, timeoutMs: 1_500 },
} as const;

interface AdChange {
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

/**
 * Concurrent clients pause, resume and change budgets. Each request is sent twice at once with the same key and retried until it has a final
 * response. A fifth of the sandbox's calls fail, lose their response or take effect after the timeout. API and worker are repeatedly killed with SIGKILL.
 */
export const drill: Drill = {
  name: 'ad-actions',
  promise:
    'Despite failed calls, lost responses and kills, the ad platform matches the ledger, each key takes effect at most once, every call has a ledger entry, and undoing all changes restores the initial state.',

  async run({ size, progress }) {
    const { actions, kills, clients, patienceMs, timeoutMs } = sizes[size];
    const kit = await openDrillKit('drill-ad-actions', ['postgres', 'redis']);
    const { sandbox } = await openAdPlatform(['USD'], () => new Date());
    const port = await freePort();
    const { appUrl, systemUrl } = kit.database;
    const given = {
      appUrl,
      systemUrl,
      redisUrl: kit.redisUrl,
      redisPrefix: kit.redisPrefix,
      port,
      patienceMs,
      timeoutMs,
    };
    const script = join(import.meta.dirname, 'ad-actions-process.ts');
    const processes = ['api', 'worker'].map(
      (role) => new Killable(script, [role, JSON.stringify({ ...given, sandbox: sandbox.settings })]),
    );
    const agent = new Agent({ connections: 2 * clients });
    try {
      await Promise.all(processes.map((one) => one.start()));
      const api = httpApi(`http://127.0.0.1:${port}`, agent);
      const scopes = ['campaigns:apply', 'campaigns:read', 'attribution:write'] as const;
      const shop = await scene({ kit, api }, { scopes, requestsPerMinute: 600_000 });
      await connectMeta(kit, sandbox, shop, 'USD');
      await recordAds(sandbox, shop, 'USD');
      const { state } = sandbox.book.meta;
      const nodes = [...state.campaigns, ...state.adSets, ...state.ads];
      const readPlatform = () =>
        new Map(nodes.map((node) => [node.id, `${node.status} ${'dailyBudget' in node ? node.dailyBudget : ''}`]));
      const initial = readPlatform();

      /** Retries until the response is final. */
      const sendUntilFinal = async ({ path, body, key }: AdChange): Promise<{ status: number; code: string }> => {
        for (;;) {
          const response = await shop.call('POST', path, body, { 'idempotency-key': key }).catch(() => undefined);
          if (response?.statusCode === 200) return { status: 200, code: response.json().data.outcome };
          const error = response?.json().error;
          const isFinal =
            error && error.status < 500 && !/in_flight/.test(error.code) && error.reason !== 'action_in_progress';
          if (isFinal) return { status: error.status, code: error.reason ?? error.code };
          await sleep(100 + Math.random() * 200);
        }
      };

      const random = numbersFrom(20_261_117);
      const changes = makeChanges(actions, state, random);
      const stopFailures = injectFailures(sandbox, patienceMs);
      // The sandbox keeps only its most recent calls, so they are counted during the run.
      const effective = new Map<string, number>();
      const countWrites = () => {
        for (const { method, path, status } of sandbox.book.calls.splice(0)) {
          const id = path.split('/').at(-1) ?? '';
          if (method === 'POST' && status === 200 && initial.has(id)) effective.set(id, (effective.get(id) ?? 0) + 1);
        }
      };
      const outcomes: Record<string, number> = {};
      const faults: string[] = [];
      let done = 0;
      const remaining = [...changes];
      const sendChanges = async () => {
        for (let change = remaining.pop(); change; change = remaining.pop()) {
          const [first, second] = await Promise.all([sendUntilFinal(change), sendUntilFinal(change)]);
          if (first.code !== second.code) faults.push(`${change.key}: ${first.code} and ${second.code}`);
          outcomes[first.code] = (outcomes[first.code] ?? 0) + 1;
          done += 1;
          progress(done, changes.length);
        }
      };
      const work = Promise.all(Array.from({ length: clients }, sendChanges));
      let killed = 0;
      let isDone = false;
      void work.then(() => (isDone = true));
      while (!isDone || killed < kills) {
        await sleep(50);
        countWrites();
        if (killed < kills && (isDone || done >= (changes.length * (killed + 0.5)) / (kills + 1))) {
          const target = processes[killed % processes.length];
          await target?.kill();
          await target?.start();
          killed += 1;
        }
      }
      await work;
      for (const stop of stopFailures) stop();
      const query = async <Row>(text: string) =>
        (await shop.ledger.transaction((tx) => sql<Row>`${sql.raw(text)}`.execute(tx))).rows;
      for (let tries = 0; tries < 600; tries += 1) {
        const [open] = await query<{ n: number }>('SELECT count(*)::int AS n FROM ad_actions WHERE due_at IS NOT NULL');
        if (open?.n === 0) break;
        await sleep(100);
      }
      // Waits for calls that the sandbox delayed beyond the timeout.
      await sleep(patienceMs);
      countWrites();

      const applied = await query<{
        id: string;
        external_id: string;
        status: string;
        budget: string | null;
        undo: never;
      }>(`
        SELECT id, external_id, after ->> 'status' AS status, after ->> 'daily_budget_minor' AS budget FROM ad_actions
        WHERE state = 'applied' ORDER BY external_id, turn`);
      const [entries] = await query<{ attempted: number; unended: number; actions: number; keys: number }>(`
        SELECT count(*) FILTER (WHERE stage = 'attempted')::int AS attempted,
          (SELECT count(*)::int FROM ad_actions WHERE due_at IS NOT NULL OR state = 'unknown') AS unended,
          (SELECT count(*)::int FROM ad_actions) AS actions, (SELECT count(DISTINCT key_hash)::int FROM ad_actions) AS keys
        FROM ad_action_entries`);
      const ledger = new Map(initial);
      for (const { external_id, status, budget } of applied) {
        const isAdSet = state.adSets.some(({ id }) => id === external_id);
        ledger.set(
          external_id,
          isAdSet ? `${status} ${budget}` : `${status} ${initial.get(external_id)?.split(' ')[1]}`,
        );
      }
      const now = readPlatform();
      const differing = nodes.filter(({ id }) => now.get(id) !== ledger.get(id));
      for (const { id } of differing) faults.push(`${id} is ${now.get(id)}, the ledger has ${ledger.get(id)}`);
      const byNode = Map.groupBy(applied, ({ external_id }) => external_id);
      const overacted = [...effective].filter(([id, writes]) => writes !== (byNode.get(id)?.length ?? 0));
      for (const [id, writes] of overacted)
        faults.push(`${id} was changed ${writes} times, the ledger has ${byNode.get(id)?.length ?? 0}`);
      const writes = [...effective.values()].reduce((sum, one) => sum + one, 0);

      const undone = await undoAll(shop, applied.map(({ id }) => id).toReversed(), sendUntilFinal);
      const last = readPlatform();
      const notBack = nodes.filter(({ id }) => last.get(id) !== initial.get(id)).length;
      return {
        passed:
          faults.length === 0 &&
          entries?.unended === 0 &&
          notBack === 0 &&
          killed === kills &&
          (entries?.attempted ?? 0) >= writes,
        wishes: changes.length,
        answered: outcomes,
        changes_at_the_platform: writes,
        attempts_in_the_ledger: entries?.attempted,
        differing_from_the_ledger: differing.length,
        acted_more_than_once: overacted.length,
        unended: entries?.unended,
        kills: killed,
        undone,
        not_back: notBack,
        faults: faults.slice(0, 10),
      };
    } finally {
      await Promise.all(processes.map((one) => one.kill()));
      await agent.close();
      await sandbox.close();
      await kit.close();
    }
  },
};

type Sandbox = Awaited<ReturnType<typeof openAdPlatform>>['sandbox'];
type State = Sandbox['book']['meta']['state'];

/** Pauses and resumes, and budget changes. An ad set gets at most two, so that with their undos they fit the hourly limit. */
function makeChanges(actions: number, state: State, random: () => number): AdChange[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const budgets = state.adSets.filter(({ dailyBudget }) => dailyBudget !== undefined);
  const changes = new Map<string, number>();
  const ads = state.ads.filter(({ status }) => status === 'ACTIVE');
  return Array.from({ length: actions }, (): AdChange => {
    const key = uuid();
    const adSet = pick(budgets);
    const changed = changes.get(adSet.id) ?? 0;
    if (random() < 0.3 && changed < 2) {
      changes.set(adSet.id, changed + 1);
      const daily_budget_minor = Number(adSet.dailyBudget) + Math.floor(random() * 500) + 1;
      return { path: `/api/v1/adsets/${adSet.id}/budget`, body: { daily_budget_minor }, key };
    }
    const action = random() < 0.5 ? 'pause' : 'resume';
    const path = random() < 0.5 ? `campaigns/${pick(state.campaigns).id}` : `ads/${pick(ads).id}`;
    return { path: `/api/v1/${path}/${action}`, body: {}, key };
  });
}

/** Makes a fifth of the calls fail, lose their response, or take effect late. */
function injectFailures(sandbox: Sandbox, patienceMs: number): (() => void)[] {
  const always = { at: '/meta', times: Number.POSITIVE_INFINITY };
  return [
    sandbox.say({ ...always, share: 0.07, reply: sandboxReply(500, {}) }),
    sandbox.say({ ...always, share: 0.075, answer: 'lost' }),
    sandbox.say({ ...always, share: 0.08, delayMs: patienceMs / 2 }),
  ];
}

/** Undoes the changes, newest first, with the undo request that the API returns for each. */
async function undoAll(
  shop: {
    ask(url: string): Promise<{ body: { data: AdAction[]; pagination: { has_next: boolean; cursor: string } } }>;
  },
  ids: readonly string[],
  send: (change: AdChange) => Promise<{ status: number }>,
): Promise<number> {
  const actions = new Map<string, AdAction>();
  for (let cursor = ''; ; ) {
    const { body } = await shop.ask(`/api/v1/ad-actions?limit=100&state=applied${cursor && `&cursor=${cursor}`}`);
    for (const action of body.data) actions.set(action.id, action);
    if (!body.pagination.has_next) break;
    cursor = body.pagination.cursor;
  }
  // Changes of the same campaign, ad set or ad are undone sequentially, different ones concurrently.
  const groups = [...Map.groupBy(ids, (id) => actions.get(id)?.external_id ?? '').values()];
  let undone = 0;
  const undoGroups = async () => {
    for (let group = groups.pop(); group; group = groups.pop())
      for (const id of group) {
        const undo = actions.get(id)?.undo;
        if (!undo) throw new Error(`${id} has no undo.`);
        const { status } = await send({ path: undo.path, body: undo.body, key: uuid() });
        if (status === 200) undone += 1;
      }
  };
  await Promise.all(Array.from({ length: 10 }, undoGroups));
  return undone;
}

interface AdAction {
  readonly id: string;
  readonly external_id: string;
  readonly undo: { readonly path: string; readonly body: object } | null;
}
