import { readFileSync } from 'node:fs';
import { createTikTok, ProviderFault, type ProviderRecord } from '@tributary/providers';
import { sumAmounts } from '@tributary/rules';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../index.ts';
import { callTo, completeConsent } from '../testing.ts';
import { tiktokError } from './index.ts';

const now = new Date('2026-03-10T12:00:00Z');
const redirectUri = 'http://127.0.0.1:4000/handoff/callback';
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 6, now: () => now });
});
afterAll(() => sandbox.close());

it('connects another provider within 200 lines, and reads the complete book although a fifth of the calls fail', async () => {
  const tiktok = createTikTok({
    clientId: 'sandbox-client',
    clientSecret: 'sandbox-secret',
    apiUrl: `${sandbox.url}/tiktok`,
  });
  const call = callTo(sandbox, now);
  const { connect, sync } = tiktok;
  if (!connect || !sync) return expect.unreachable();
  const url = connect.authorizeUrl({ redirectUri, state: 's' });
  expect(connect.readCallback(await completeConsent(url, { answer: 'cancel' }))).toEqual({ reason: 'user_cancelled' });
  const back = connect.readCallback(await completeConsent(url));
  if (!('code' in back)) return expect.unreachable();
  const credentials = await connect.exchange({ code: back.code, redirectUri }, call);
  await expect(connect.exchange({ code: back.code, redirectUri }, call)).rejects.toThrow(ProviderFault);
  const [candidate] = await connect.candidates(credentials, call);
  expect(candidate).toMatchObject({ externalId: sandbox.book.tiktok.advertiser, details: { currency: 'USD' } });

  const stop = sandbox.say({ at: '/tiktok', share: 0.2, times: 1e9, reply: tiktokError(51_004, 'Try later.') });
  const account = { externalId: candidate?.externalId ?? '', credentials, details: candidate?.details ?? {} };
  const records: ProviderRecord[] = [];
  let position: Parameters<typeof sync>[1] = null;
  for (let tries = 0; tries < 200 && position?.stage !== 'done'; tries += 1) {
    try {
      for await (const page of sync(account, position, call)) {
        records.push(...page.records);
        position = page.position;
      }
    } catch (error) {
      expect(error).toMatchObject({ details: { verdict: 'wait', code: '51004' } });
    }
  }
  stop();
  const delivered = records
    .filter((one) => one.kind === 'delivery')
    .map(({ externalId, day, clicks }) => [externalId, day, clicks]);
  const booked = sandbox.book.tiktok.days.map(({ entity, day, clicks }) => [entity.externalId, day, clicks]);
  expect(delivered.toSorted()).toEqual(booked.toSorted());
  expect(records.find((one) => one.kind === 'entity')).toMatchObject({ status: 'ACTIVE', dailyBudget: '50.5' });

  // The account's cost equals the sum over its ads.
  const days = sandbox.book.tiktok.days.map(({ day }) => day).sort();
  const span = { since: days[0] ?? '', until: days.at(-1) ?? '' };
  const cost = (await tiktok.books?.spend?.(account, span, call)) ?? [];
  const spent = records.flatMap((one) => (one.kind === 'delivery' ? [one.spend] : []));
  expect(cost.length).toBe(new Set(days).size);
  expect(sumAmounts(cost.map(({ amount }) => amount))).toBe(sumAmounts(spent));

  sandbox.say({ at: '/tiktok', reply: tiktokError(40_105, 'revoked') });
  await expect(connect.candidates(credentials, call)).rejects.toMatchObject({ details: { verdict: 'reconnect' } });
  const source = readFileSync(new URL('../../../packages/providers/tiktok/index.ts', import.meta.url), 'utf8');
  expect(source.split('\n').length).toBeLessThan(201);
});
