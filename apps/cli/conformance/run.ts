import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { AppAccess } from './app-access.ts';
import { type Check, type Need, needs, type Section } from './check.ts';
import { checks } from './checks.ts';
import { Client, type Exchange } from './client.ts';
import { InstallationClock } from './clock.ts';
import type { Context } from './context.ts';
import { Receiver } from './receiver.ts';

export interface Target {
  readonly url: string;
  readonly key: string;
  /** `CLIENT_ID:CLIENT_SECRET`. */
  readonly app?: string | undefined;
}

export interface CheckResult {
  readonly section: Section;
  readonly rules: readonly string[];
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'not tried';
  /** Why it failed or was skipped. */
  readonly reason?: string;
  readonly exchanges: readonly Exchange[];
}

export interface Progress {
  readonly section?: Section | undefined;
  report(result: CheckResult): void;
}

/** Runs the checks sequentially, because some use data that earlier ones created. */
export async function runChecks(target: Target, { section, report }: Progress): Promise<CheckResult[]> {
  const recorded: Exchange[] = [];
  const { context, missing, close } = await openContext(target, (exchange) => recorded.push(exchange));
  const results: CheckResult[] = [];
  try {
    for (const check of checks.filter((one) => section === undefined || one.section === section)) {
      recorded.length = 0;
      const verdict = await runCheck(check, context, missing);
      const { rules, title } = check;
      const result = { section: check.section, rules, title, ...verdict, exchanges: dropRepeats(recorded) };
      results.push(result);
      report(result);
    }
  } finally {
    await close();
  }
  return results;
}

async function runCheck(
  check: Check,
  context: Context,
  missing: ReadonlySet<Need>,
): Promise<Pick<CheckResult, 'outcome' | 'reason'>> {
  const lacking = check.needs.filter((need) => missing.has(need));
  if (lacking.length > 0)
    return { outcome: 'not tried', reason: `needs ${lacking.map((n) => needs[n]).join(' and ')}` };
  try {
    await check.run(context);
    return { outcome: 'passed' };
  } catch (error) {
    return { outcome: 'failed', reason: (error as Error).message };
  }
}

const maxExchanges = 12;

/** Lists repeated polls once, with the last response. */
function dropRepeats(exchanges: readonly Exchange[]): readonly Exchange[] {
  const last = new Map(
    exchanges.map((exchange) => [`${exchange.request} ${exchange.sent ?? ''} ${exchange.status}`, exchange]),
  );
  return [...last.values()].slice(-maxExchanges);
}

async function openContext(target: Target, record: (exchange: Exchange) => void) {
  const base = target.url.replace(/\/+$/, '');
  const as = (secret: string) => new Client(base, { authorization: `Bearer ${secret}` }, record);
  const anonymous = new Client(base, {}, record);
  const api = as(target.key);
  const profile = await api.get('profile');
  assert.equal(profile.status, 200, `The key does not work at ${base}: ${profile.text}`);
  const clock = await InstallationClock.open(anonymous);
  const receiver = await Receiver.open();
  const app = new AppAccess(anonymous, as, target.app, () => clock.now());
  const run = randomBytes(4).toString('hex');
  const made = new Map<string, Promise<unknown>>();
  let names = 0;
  const context: Context = {
    api,
    anonymous,
    as,
    profileId: profile.body.meta.profile_id,
    app,
    clock,
    receiver,
    unique(name) {
      names += 1;
      return `${name}-${run}-${names}`;
    },
    shared<T>(name: string, make: (context: Context) => Promise<T>) {
      const pending = (made.get(name) as Promise<T> | undefined) ?? make(context);
      made.set(name, pending);
      return pending;
    },
  };
  const missing = new Set<Need>([
    ...(app.isGiven ? [] : (['app'] as const)),
    ...(clock.canAdvance ? [] : (['clock'] as const)),
    ...((await takesLocalWebhooks(context)) ? [] : (['receiver'] as const)),
  ]);
  return { context, missing, close: () => receiver.close() };
}

/** An installation in production refuses loopback addresses, as it should. */
async function takesLocalWebhooks({ api, receiver }: Context): Promise<boolean> {
  const wanted = { url: `${receiver.url}/probe`, events: ['recompute.completed'], providers: ['service'] };
  const { status, body } = await api.post('webhooks/subscriptions', wanted);
  if (status !== 201) return false;
  await api.delete(`webhooks/subscriptions/${body.data.id}`);
  return true;
}
