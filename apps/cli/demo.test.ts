import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Supervisor } from '@tributary/engines';
import { createClient } from '@tributary/sdk';
import { freePort } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { afterAll, expect, test } from 'vitest';

const set = `demo-test-${process.pid}`;
/** Enough to test every campaign by regions, and few enough to fill within seconds. */
const people = 1_500;
let running: ChildProcess | undefined;
afterAll(async () => {
  running?.kill('SIGKILL');
  await new Supervisor(set).destroy();
});

/** The complete output. */
async function start(): Promise<{ output: string; stop(): Promise<void> }> {
  const [port, collectorPort] = [await freePort(0), await freePort(0)];
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), 'demo', '--people', String(people), '--set', set],
    {
      env: {
        ...process.env,
        PORT: String(port),
        BASE_URL: `http://127.0.0.1:${port}`,
        COLLECTOR_PORT: String(collectorPort),
        PROVIDER_WEBHOOKS_PORT: String(await freePort(0)),
        COLLECTOR_URL: `http://127.0.0.1:${collectorPort}`,
      },
    },
  );
  running = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  const ended = once(child, 'exit');
  await Promise.race([expect.poll(() => output, { timeout: 150_000 }).toContain('Ctrl-C stops it'), ended]);
  expect(output).toContain('The demo runs');
  return {
    output,
    async stop() {
      child.kill('SIGINT');
      expect(await ended).toEqual([0, null]);
    },
  };
}

type Row = { readonly campaign_name: string; readonly spend: number; readonly outcome_count: number };
const read = (output: string, pattern: RegExp) => pattern.exec(output)?.[1] ?? '';

const dayAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

/** Checks reports of past days, the closed month, experiments, currencies and the second shop. */
async function checkShops(
  baseUrl: string,
  key: string,
  credentials: { email: string; password: string },
): Promise<void> {
  const client = createClient({ baseUrl, apiKey: key });
  const { data: closings } = await client.listClosings({ query: {} });
  const [closing] = closings;
  expect(closing?.closed_at).toMatch(/-03T09:00:00/);
  const month = closing?.month ?? '';
  const lastDay = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10);
  const range = { date_from: `${month}-01`, date_to: lastDay };

  // The current as-of report equals the live report of past days; earlier as-of reports show less.
  const totalsOf = async (as_of?: string) =>
    (await client.readOverview({ query: { ...range, ...(as_of && { as_of }) } })).data.totals;
  const now = await totalsOf();
  const asOfNow = await totalsOf(new Date().toISOString());
  // The deals of the connected CRM were synced a moment ago, after the latest time that `as_of` accepts.
  const cash = ({ spend, outcome_count, outcome_value, roas, cac }: typeof now) => ({
    spend,
    outcome_count,
    outcome_value,
    roas,
    cac,
  });
  expect(cash(asOfNow)).toEqual(cash(now));
  const asOfDay = async (day: number) => totalsOf(`${month}-${String(day).padStart(2, '0')}T12:00:00Z`);
  const [fifth, twentieth] = [await asOfDay(5), await asOfDay(20)];
  expect(fifth.outcome_count).toBeGreaterThan(0);
  for (const name of ['spend', 'outcome_count', 'outcome_value'] as const)
    expect(
      [Number(fifth[name]), Number(twentieth[name]), Number(now[name])].toSorted((one, other) => one - other),
    ).toEqual([Number(fifth[name]), Number(twentieth[name]), Number(now[name])]);

  // The closed month had figures, and every later change has a cause.
  const changes = async (field: 'outcome_value' | 'spend') =>
    (await client.readChanges({ query: { ...range, field, from: closing?.as_of ?? '' } })).data;
  const [revenue, spend] = [await changes('outcome_value'), await changes('spend')];
  expect(Number(revenue.before)).toBeGreaterThan(0);
  expect(revenue.causes.flatMap(({ causes }) => causes)).toContain('refund');
  expect(revenue.causes.flatMap(({ causes }) => causes)).not.toContain('replay');
  expect(Number(revenue.unexplained)).toBe(0);
  expect(spend.causes.map(({ causes }) => causes)).toEqual([['delivery']]);

  // Every campaign can be tested by regions; the state of experiments matches their dates.
  const { data: campaigns } = await client.listCampaigns({ query: { ...range, limit: 100 } });
  const { data: experiments } = await client.listExperiments();
  expect(experiments.filter(({ state }) => state === 'running').length).toBeLessThanOrEqual(1);
  const ended = experiments.filter(({ state }) => state === 'ended');
  expect(ended.map(({ readable_from: from }) => from < dayAgo(0))).toEqual([true]);
  for (const { entity_ids: ids } of experiments) expect(campaigns.map((row) => row.campaign_id)).toContain(ids[0]);
  for (const { campaign_id: id } of campaigns) {
    const { data: draft } = await client.createExperiment({
      body: { kind: 'regions', name: 'Plan', entity_ids: [id], date_from: dayAgo(-3), expected_effect_pct: 20 },
    });
    expect(draft.power?.regions).toBeGreaterThanOrEqual(10);
  }

  // Google is billed in euros, with exchange rates; some customers pay in euros; the second shop reports in euros.
  expect(now.spend).toBeGreaterThan(0);
  const { meta } = await client.readOverview({ query: range });
  expect(meta.exclusions).toEqual([]);
  const { data: payments } = await client.listPayments({
    query: { from: range.date_from, to: range.date_to, limit: 100 },
  });
  expect(new Set(payments.map(({ currency }) => currency))).toEqual(new Set(['USD', 'EUR']));
  const signedIn = await fetch(`${baseUrl}/api/v1/account/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify(credentials),
  });
  const headers = { cookie: signedIn.headers.getSetCookie().join('; '), origin: baseUrl };
  const { data: merges } = await client.listMerges({ query: { date_from: dayAgo(1), date_to: dayAgo(0) } });
  expect(merges.filter(({ undone_at: at }) => at)).toHaveLength(1);
  const { data: account } = await createClient({ baseUrl, session: {}, headers }).readAccount();
  const second = account.memberships
    .flatMap(({ profiles }) => profiles)
    .find(({ name }) => name.startsWith('Puerto Café'));
  const other = createClient({ baseUrl, session: { profileId: second?.id }, headers });
  const overview = await other.readOverview({ query: range });
  expect(overview.meta.currency).toBe('EUR');
  expect(overview.data.totals.outcome_value).toBeGreaterThan(0);
  expect(overview.data.totals.outcome_value).toBeLessThan(Number(now.outcome_value));
}

test('demo prints a login and questions to ask, and a second start shows the same market', async () => {
  const first = await start();
  const [email, password] = [read(first.output, /e-mail +(\S+)/), read(first.output, /password +(\S+)/)];
  const baseUrl = read(first.output, /(http:\S+) +the console/);
  await createClient({ baseUrl, session: {} }).signIn({ body: { email, password } });
  expect(await (await fetch(baseUrl)).text()).toContain('<div id="root">');
  const address = read(first.output, /curl "([^"]+)"/);
  const key = read(first.output, /Bearer (\w+)/);
  const ask = async (url: string) =>
    (await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json()) as { data: Row[] };
  const { data: before } = await ask(address);
  expect(before.length).toBeGreaterThan(0);
  expect(before.some(({ spend, outcome_count: payments }) => spend > 0 && payments > 0)).toBe(true);
  expect(first.output).toContain('1,500 of 1,500 people');
  expect(first.output).not.toContain('Not everything could be set up');
  await checkShops(baseUrl, key, { email, password });
  await first.stop();

  const second = await start();
  expect(second.output).not.toContain('people,');
  expect(read(second.output, /password +(\S+)/)).toBe(password);
  const { data: after } = await ask(address.replace(baseUrl, read(second.output, /(http:\S+) +the console/)));
  // Platforms continue to report, so figures grow; the ads stay the same.
  const namesOf = (rows: readonly Row[]) => rows.map(({ campaign_name: name }) => name).toSorted();
  expect(namesOf(after)).toEqual(namesOf(before));
  await second.stop();
});
