import { createHighlevel, type OutcomeRecord } from '@tributary/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, type Sandbox, startSandbox } from '../index.ts';
import { callTo, completeConsent } from '../testing.ts';

let now = new Date('2026-03-10T12:00:00Z');
const redirectUri = 'http://127.0.0.1:4000/handoff/callback';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, now: () => now, market: { people: 4500, start: '2026-01-01', days: 60 } });
});
afterAll(() => sandbox.close());

const provider = () =>
  createHighlevel({
    clientId: sandbox.settings.HIGHLEVEL_CLIENT_ID,
    clientSecret: sandbox.settings.HIGHLEVEL_CLIENT_SECRET,
    apiUrl: sandbox.settings.HIGHLEVEL_API_URL,
    dialogUrl: sandbox.settings.HIGHLEVEL_DIALOG_URL,
    apiVersion: '2021-07-28',
    webhookPublicKey: sandbox.settings.HIGHLEVEL_WEBHOOK_PUBLIC_KEY,
  });

async function open(accountId: string) {
  const { connect, sync, stages } = provider();
  if (!connect || !sync || !stages) return expect.unreachable();
  const call = () => callTo(sandbox, now);
  const back = connect.readCallback(
    await completeConsent(connect.authorizeUrl({ redirectUri, state: 's' }), { accounts: [accountId] }),
  );
  if (!('code' in back)) return expect.unreachable();
  const credentials = await connect.exchange({ code: back.code, redirectUri }, call());
  const candidates = await connect.candidates(credentials, call());
  const account = { externalId: 'locSantiago', credentials, details: { currency: 'CLP' } };
  const read = async (from: Parameters<typeof sync>[1]) => {
    const records: OutcomeRecord[] = [];
    let position = from;
    for await (const page of sync(account, from, call())) {
      records.push(...(page.records as OutcomeRecord[]));
      position = page.position;
    }
    return { records, position };
  };
  return { connect, stages, sync, call, credentials, candidates, account, read };
}

test('connects one location or an agency with its locations, and reads deals with the location’s own token', async () => {
  const one = await open('locSantiago');
  expect(one.candidates).toMatchObject([{ externalId: 'locSantiago', name: 'Tienda Santiago' }]);
  const agency = await open('the whole agency');
  expect(agency.candidates.map(({ externalId }) => externalId)).toEqual(['locSantiago', 'locLima']);
  expect(await agency.stages(agency.account, agency.call())).toEqual(await one.stages(one.account, one.call()));
  expect((await agency.read(null)).records).toEqual((await one.read(null)).records);
  const other = { ...one.account, externalId: 'locLima' };
  await expect(one.stages(other, one.call())).rejects.toMatchObject({ details: { verdict: 'needs_action' } });
});

test('reads every deal with its stage and outcome, and later only changed deals', async () => {
  const { read, account, sync, call } = await open('locSantiago');
  const truth = sandbox.book.highlevel.deals.filter(({ locationId }) => locationId === account.externalId);
  expect(truth.length).toBeGreaterThan(200);
  const first = await read(null);
  const stageOf = new Map(first.records.filter(({ stage }) => stage).map((one) => [one.externalId, one]));
  expect(stageOf.size).toBe(truth.length);
  for (const deal of truth) {
    expect(stageOf.get(deal.id)).toMatchObject({
      stage: { pipelineId: deal.pipelineId, stageId: deal.pipelineStageId },
      occurredAt: deal.lastStageChangeAt,
    });
  }
  const ends = first.records.filter(({ outcomeType }) => outcomeType !== undefined);
  expect(ends).toHaveLength(truth.filter(({ status }) => status !== 'open').length);
  const won = truth.find(({ status, monetaryValue, contact }) => status === 'won' && monetaryValue && contact);
  expect(ends.find(({ externalId }) => externalId === won?.id)).toMatchObject({
    outcomeType: 'closed_won',
    value: String(won?.monetaryValue),
    currency: 'CLP',
    occurredAt: won?.lastStatusChangeAt,
    person: { externalId: won?.contact?.id, email: won?.contact?.email },
    properties: { currency_assumed: 'true' },
  });
  const dealWithoutContact = truth.find(({ contact }) => !contact);
  expect(stageOf.get(dealWithoutContact?.id ?? '')?.person).toEqual({});

  // A day later one deal was moved twice and one was lost: only the latest stage is known.
  now = new Date(now.getTime() + 2 * 86_400_000);
  const [moved, lost] = truth.filter(({ status }) => status === 'open');
  sandbox.book.highlevel.change(moved?.id ?? '', { pipelineStageId: `${moved?.pipelineId}-2` });
  sandbox.book.highlevel.change(moved?.id ?? '', { pipelineStageId: `${moved?.pipelineId}-3` });
  sandbox.book.highlevel.change(lost?.id ?? '', { status: 'lost' });
  now = new Date(now.getTime() + 60_000);
  const { credentials } = await open('locSantiago');
  const again = { ...account, credentials };
  const second: OutcomeRecord[] = [];
  let pages = 0;
  for await (const page of sync(again, first.position, call())) {
    pages += 1;
    second.push(...(page.records as OutcomeRecord[]));
  }
  expect(pages).toBeGreaterThan(2);
  expect(second.map(({ externalId, stage, outcomeType }) => [externalId, outcomeType ?? stage?.stageId])).toEqual([
    ...[[moved?.id, `${moved?.pipelineId}-3`]],
    ...[
      [lost?.id, lost?.pipelineStageId],
      [lost?.id, 'deal_lost'],
    ],
  ]);
});

test('an interrupted walk continues after its last page', async () => {
  const { sync, account, call, read } = await open('locSantiago');
  const whole = await read(null);
  const parts: OutcomeRecord[] = [];
  let position: Parameters<typeof sync>[1] = null;
  for (let ended = false; !ended; ) {
    for await (const page of sync(account, position, call())) {
      parts.push(...(page.records as OutcomeRecord[]));
      position = page.position;
      ended = page.position.after === null;
      expect(JSON.stringify(position)).not.toContain(account.credentials.accessToken);
      break;
    }
  }
  expect(parts).toEqual(whole.records);
});

test('a refresh token works once, throttling waits, and a removed app requires consent again', async () => {
  const { connect, credentials, account, stages, call } = await open('locSantiago');
  const fresh = await connect.refresh?.(credentials, call());
  expect(fresh?.refreshToken).not.toBe(credentials.refreshToken);
  expect(connect.refreshAt?.(credentials)?.getTime()).toBeLessThan(now.getTime() + 86_399_000);
  await expect(connect.refresh?.(credentials, call())).rejects.toMatchObject({
    details: { verdict: 'reconnect', code: 'invalid_grant' },
  });
  sandbox.say({
    at: '/highlevel/opportunities',
    reply: json(429, { statusCode: 429, message: 'Too many' }, { 'x-ratelimit-interval-milliseconds': '7000' }),
  });
  await expect(stages(account, call())).rejects.toMatchObject({ details: { verdict: 'wait', retryAfterMs: 7_000 } });
  sandbox.say({ at: '/highlevel/oauth/token', answer: 'truncated' });
  await expect(connect.refresh?.(fresh ?? credentials, call())).rejects.toMatchObject({
    details: { verdict: 'wait', mayHaveHappened: true },
  });
  await connect.revoke?.(account, call());
  await expect(stages(account, call())).rejects.toMatchObject({ details: { verdict: 'reconnect' } });
});

test('webhooks are verified over their raw bytes, must be recent, and name their location', () => {
  const { receive } = provider();
  const { headers, body } = sandbox.book.highlevel.webhook({
    type: 'OpportunityStageUpdate',
    locationId: 'locLima',
    id: 'x',
  });
  expect(receive?.verify({ headers, body }, now)).toBe(true);
  expect(receive?.read({ headers, body })).toMatchObject([{ accountExternalId: 'locLima', about: 'changed' }]);
  expect(receive?.verify({ headers, body: Buffer.from(`${Buffer.from(body)} `) }, now)).toBe(false);
  expect(receive?.verify({ headers, body }, new Date(now.getTime() + 301_000))).toBe(false);
  expect(receive?.verify({ headers: { 'x-wh-signature': headers['x-ghl-signature'] }, body }, now)).toBe(false);
  const gone = sandbox.book.highlevel.webhook({ type: 'UNINSTALL', locationId: 'locLima' });
  expect(receive?.read(gone)).toMatchObject([{ about: 'disconnected' }]);
});

test('a user’s refusal cancels, and any other error is the provider’s', async () => {
  const { connect } = provider();
  const url = connect?.authorizeUrl({ redirectUri, state: 's' }) ?? '';
  expect(connect?.readCallback(await completeConsent(url, { answer: 'cancel' }))).toEqual({ reason: 'user_cancelled' });
  expect(connect?.readCallback(await completeConsent(url, { answer: 'fail' }))).toEqual({ reason: 'provider_error' });
  expect(connect?.readCallback({})).toEqual({ reason: 'provider_error' });
});
