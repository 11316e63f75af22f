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
  small: { actions: 20, kills: 1, hands: 10, patienceMs: 1_000, timeoutMs: 400 },
  full: { actions: 1_000, kills: 20, hands: 100, patienceMs: 4_000, timeoutMs: 1_500 },
} as const;

interface Wish {
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

/**
 * Many hands pause, resume and change budgets, each wish sent twice at once under one key and repeated until it is answered. A fifth of
 * the sandbox's calls fails, is lost, or is done later than anybody waits for; API and worker are killed -9 again and again.
 */
export const drill: Drill = {
  name: 'ad-actions',
  promise:
    'Whatever fails, is lost or dies, the ad platform stands as the ledger says, each key acted at most once, nothing was sent without an entry, and undoing all gives the first state.',

  async run({ size, progress }) {
    const { actions, kills, hands, patienceMs, timeoutMs } = sizes[size];
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
    const agent = new Agent({ connections: 2 * hands });
    try {
      await Promise.all(processes.map((one) => one.start()));
      const api = httpApi(`http://127.0.0.1:${port}`, agent);
      const scopes = ['campaigns:apply', 'campaigns:read', 'attribution:write'] as const;
      const shop = await scene({ kit, api }, { scopes, requestsPerMinute: 600_000 });
      await connectMeta(kit, sandbox, shop, 'USD');
      await recordAds(sandbox, shop, 'USD');
      const { state } = sandbox.book.meta;
      const nodes = [...state.campaigns, ...state.adSets, ...state.ads];
      const stand = () =>
        new Map(nodes.map((node) => [node.id, `${node.status} ${'dailyBudget' in node ? node.dailyBudget : ''}`]));
      const first = stand();

      /** Until it is answered once and for all. */
      const ask = async ({ path, body, key }: Wish): Promise<{ status: number; code: string }> => {
        for (;;) {
          const answer = await shop.call('POST', path, body, { 'idempotency-key': key }).catch(() => undefined);
          if (answer?.statusCode === 200) return { status: 200, code: answer.json().data.outcome };
          const error = answer?.json().error;
          const isOver =
            error && error.status < 500 && !/in_flight/.test(error.code) && error.reason !== 'action_in_progress';
          if (isOver) return { status: error.status, code: error.reason ?? error.code };
          await sleep(100 + Math.random() * 200);
        }
      };

      const dice = numbersFrom(20_261_117);
      const wishes = wishesFor(actions, state, dice);
      const stops = failing(sandbox, patienceMs);
      // The sandbox keeps its last calls only.
      const effective = new Map<string, number>();
      const count = () => {
        for (const { method, path, status } of sandbox.book.calls.splice(0)) {
          const id = path.split('/').at(-1) ?? '';
          if (method === 'POST' && status === 200 && first.has(id)) effective.set(id, (effective.get(id) ?? 0) + 1);
        }
      };
      const answered: Record<string, number> = {};
      const faults: string[] = [];
      let done = 0;
      const left = [...wishes];
      const hand = async () => {
        for (let wish = left.pop(); wish; wish = left.pop()) {
          const [one, other] = await Promise.all([ask(wish), ask(wish)]);
          if (one.code !== other.code) faults.push(`${wish.key}: ${one.code} and ${other.code}`);
          answered[one.code] = (answered[one.code] ?? 0) + 1;
          done += 1;
          progress(done, wishes.length);
        }
      };
      const work = Promise.all(Array.from({ length: hands }, hand));
      let killed = 0;
      let isDone = false;
      void work.then(() => (isDone = true));
      while (!isDone || killed < kills) {
        await sleep(50);
        count();
        if (killed < kills && (isDone || done >= (wishes.length * (killed + 0.5)) / (kills + 1))) {
          const one = processes[killed % processes.length];
          await one?.kill();
          await one?.start();
          killed += 1;
        }
      }
      await work;
      for (const stop of stops) stop();
      const query = async <Row>(text: string) =>
        (await shop.ledger.transaction((tx) => sql<Row>`${sql.raw(text)}`.execute(tx))).rows;
      for (let tries = 0; tries < 600; tries += 1) {
        const [open] = await query<{ n: number }>('SELECT count(*)::int AS n FROM ad_actions WHERE due_at IS NOT NULL');
        if (open?.n === 0) break;
        await sleep(100);
      }
      // What was delayed beyond everybody's patience has arrived by now.
      await sleep(patienceMs);
      count();

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
      const ledger = new Map(first);
      for (const { external_id, status, budget } of applied) {
        const isAdSet = state.adSets.some(({ id }) => id === external_id);
        ledger.set(external_id, isAdSet ? `${status} ${budget}` : `${status} ${first.get(external_id)?.split(' ')[1]}`);
      }
      const now = stand();
      const differing = nodes.filter(({ id }) => now.get(id) !== ledger.get(id));
      for (const { id } of differing) faults.push(`${id} is ${now.get(id)}, the ledger says ${ledger.get(id)}`);
      const byNode = Map.groupBy(applied, ({ external_id }) => external_id);
      const overacted = [...effective].filter(([id, writes]) => writes !== (byNode.get(id)?.length ?? 0));
      for (const [id, writes] of overacted)
        faults.push(`${id} was changed ${writes} times, the ledger says ${byNode.get(id)?.length ?? 0}`);
      const writes = [...effective.values()].reduce((sum, one) => sum + one, 0);

      const undone = await undoAll(shop, applied.map(({ id }) => id).toReversed(), ask);
      const last = stand();
      const notBack = nodes.filter(({ id }) => last.get(id) !== first.get(id)).length;
      return {
        passed:
          faults.length === 0 &&
          entries?.unended === 0 &&
          notBack === 0 &&
          killed === kills &&
          (entries?.attempted ?? 0) >= writes,
        wishes: wishes.length,
        answered,
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

/** Pauses and resumes of anything, and of each ad set no more changes than an hour allows with their undos. */
function wishesFor(actions: number, state: State, dice: () => number): Wish[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(dice() * from.length)] as T;
  const budgets = state.adSets.filter(({ dailyBudget }) => dailyBudget !== undefined);
  const changes = new Map<string, number>();
  const ads = state.ads.filter(({ status }) => status === 'ACTIVE');
  return Array.from({ length: actions }, (): Wish => {
    const key = uuid();
    const adSet = pick(budgets);
    const changed = changes.get(adSet.id) ?? 0;
    if (dice() < 0.3 && changed < 2) {
      changes.set(adSet.id, changed + 1);
      const daily_budget_minor = Number(adSet.dailyBudget) + Math.floor(dice() * 500) + 1;
      return { path: `/api/v1/adsets/${adSet.id}/budget`, body: { daily_budget_minor }, key };
    }
    const what = dice() < 0.5 ? 'pause' : 'resume';
    const path = dice() < 0.5 ? `campaigns/${pick(state.campaigns).id}` : `ads/${pick(ads).id}`;
    return { path: `/api/v1/${path}/${what}`, body: {}, key };
  });
}

/** A fifth of the calls: refused for now, done without an answer, or done later than anybody waits. */
function failing(sandbox: Sandbox, patienceMs: number): (() => void)[] {
  const often = { at: '/meta', times: Number.POSITIVE_INFINITY };
  return [
    sandbox.say({ ...often, share: 0.07, reply: sandboxReply(500, {}) }),
    sandbox.say({ ...often, share: 0.075, answer: 'lost' }),
    sandbox.say({ ...often, share: 0.08, delayMs: patienceMs / 2 }),
  ];
}

/** The newest first, each by the request that the ledger holds ready. */
async function undoAll(
  shop: { ask(url: string): Promise<{ body: { data: Listed[]; pagination: { has_next: boolean; cursor: string } } }> },
  ids: readonly string[],
  ask: (wish: Wish) => Promise<{ status: number }>,
): Promise<number> {
  const undos = new Map<string, Listed>();
  for (let cursor = ''; ; ) {
    const { body } = await shop.ask(`/api/v1/ad-actions?limit=100&state=applied${cursor && `&cursor=${cursor}`}`);
    for (const action of body.data) undos.set(action.id, action);
    if (!body.pagination.has_next) break;
    cursor = body.pagination.cursor;
  }
  // Of one campaign, ad set or ad one after the other; of several side by side.
  const waiting = [...Map.groupBy(ids, (id) => undos.get(id)?.external_id ?? '').values()];
  let undone = 0;
  const hand = async () => {
    for (let some = waiting.pop(); some; some = waiting.pop())
      for (const id of some) {
        const undo = undos.get(id)?.undo;
        if (!undo) throw new Error(`${id} has no undo.`);
        const { status } = await ask({ path: undo.path, body: undo.body, key: uuid() });
        if (status === 200) undone += 1;
      }
  };
  await Promise.all(Array.from({ length: 10 }, hand));
  return undone;
}

interface Listed {
  readonly id: string;
  readonly external_id: string;
  readonly undo: { readonly path: string; readonly body: object } | null;
}
