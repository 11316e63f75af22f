import { saveRates } from '@tributary/domain/conversions';
import {
  checkClock,
  classifyVisit,
  decideTouch,
  envelopeLimits,
  fromMinorUnits,
  readEnvelope,
  readVisit,
  toMinorUnits,
} from '@tributary/rules';
import { buildApiKey, buildProfile, openApi, openTestkit, type TestApi, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asRequests } from './as-requests.ts';
import { households } from './household.ts';
import { openMarket } from './market.ts';

const trackingKey = 'trk_0123456789abcdefghijkl';
const market = openMarket({ seed: 11, people: 150, days: 60, walkInPurchases: 40 });
const requests = asRequests(market, { trackingKey });
const people = [...households(market)];

test('the same market gives the same requests, in the order they are sent', () => {
  expect(asRequests(market, { trackingKey })).toEqual(requests);
  for (const [index, { sentAt }] of requests.entries()) {
    expect(sentAt).toBeGreaterThanOrEqual(requests[index - 1]?.sentAt ?? market.from);
  }
  expect(() => asRequests(openMarket({ seed: 1, people: 20_001 }), { trackingKey })).toThrow(RangeError);
});

describe('What browsers send', () => {
  const envelopes = requests.filter(({ path }) => path === '/v1/visits');
  const sent = envelopes.flatMap(({ body, sentAt }) => {
    const read = readEnvelope(body);
    if (!read.ok) return expect.unreachable(read.reason);
    expect(JSON.stringify(body).length).toBeLessThan(envelopeLimits.bytes);
    return read.envelope.visits.map((said) => {
      const one = readVisit(said);
      if (!one.ok) return expect.unreachable(one.reason);
      expect(checkClock(one.visit.at, new Date(sentAt))).toBeUndefined();
      return { clientId: read.envelope.client_id, visit: one.visit };
    });
  });

  test('is understood as the touches that the market knows, and nothing else is one', () => {
    const found = new Map(
      sent.flatMap(({ clientId, visit }) => {
        const of = classifyVisit(visit);
        if (!decideTouch(visit, of)) return [];
        const said = [of.channel, of.source, of.medium, of.platform, of.clickIdKind];
        const named = [of.campaignExternalId, of.adSetExternalId, of.adExternalId];
        return [[visit.id, [clientId, visit.at, visit.session_id, ...said.map((word) => word ?? ''), ...named]]];
      }),
    );
    const known = new Map(
      people.flatMap(({ browsers }) =>
        browsers.flatMap(({ clientId, touches }) =>
          touches.map(({ id, at, sessionId, arrival }) => {
            const { channel, source, medium, platform, clickIdKind, named } = arrival;
            const ids = [named.campaign, named.adSet, named.ad].map((entity) => entity?.externalId ?? null);
            return [
              id,
              [clientId, new Date(at).toISOString(), sessionId, channel, source, medium, platform, clickIdKind, ...ids],
            ] as const;
          }),
        ),
      ),
    );
    expect(found).toEqual(known);
    expect(new Set(sent.map(({ visit }) => visit.id)).size).toBeGreaterThan(known.size);
  });

  test('says once of each linked browser whose it is', () => {
    const said = new Map(sent.flatMap(({ clientId, visit }) => (visit.traits ? [[clientId, visit.traits.email]] : [])));
    const known = people.flatMap(({ people: members, browsers }) =>
      browsers
        .filter(({ touches, linkedTo }) => touches.length > 0 && linkedTo !== null)
        .map(
          ({ clientId, linkedTo }) =>
            [clientId, members.find(({ index }) => index === linkedTo)?.customer?.email] as const,
        ),
    );
    expect(said).toEqual(new Map(known));
  });
});

describe('What the shop sends', () => {
  let kit: Testkit;
  let api: TestApi;
  beforeAll(async () => {
    kit = await openTestkit();
    api = await openApi(kit);
  });
  afterAll(async () => {
    await api.close();
    await kit.close();
  });

  test('is taken by the API, and the ledger then says what the book says', async () => {
    const profile = await buildProfile(kit.app, { reportingCurrency: market.reportingCurrency });
    const { headers } = await buildApiKey(kit.app, profile.id, {
      scopes: ['attribution:write', 'goals:write'],
      requestsPerMinute: 600_000,
    });
    await saveRates(kit.system, 'sandbox', market.rates.quotes);
    for (const { sentAt, path, method, body } of requests.filter(({ sender }) => sender === 'server')) {
      kit.clock.set(new Date(sentAt));
      const answer = await api.fastify.inject({ method, url: path, headers: { ...headers }, payload: body });
      expect(answer.statusCode, answer.body).toBeLessThan(300);
    }
    const { rows } = await kit.app.forProfile(profile.id).transaction((tx) =>
      sql<{
        key: string;
        customer: string | null;
        at: Date;
        amount: string | null;
        currency: string | null;
        reporting: string | null;
        first: boolean | null;
        subject: string | null;
      }>`
        SELECT o.idempotency_key AS key, o.occurred_at AS at, o.amount::text, o.currency, o.reporting_amount::text AS reporting,
          o.is_first_payment AS first, o.subject_ref AS subject, i.value AS customer
        FROM outcomes o LEFT JOIN identifiers i ON i.profile_id = o.profile_id AND i.customer_id = o.customer_id
          AND i.kind = 'external_customer_id'`.execute(tx),
    );
    const known = people.flatMap(({ people: members }) =>
      members.flatMap(({ customer, outcomes }) =>
        outcomes.map((outcome) => ({
          key: outcome.idempotencyKey,
          customer: customer?.externalId ?? null,
          at: new Date(outcome.at),
          amount: outcome.money && fromMinorUnits(outcome.money.net, outcome.money.currency),
          currency: outcome.money?.currency ?? null,
          reporting: outcome.money?.reporting
            ? fromMinorUnits(outcome.money.reporting.value, market.reportingCurrency)
            : null,
          first: outcome.standing?.isFirstPayment ?? null,
          subject: outcome.subjectRef,
        })),
      ),
    );
    const plain = (amount: string | null, currency: string | null) =>
      amount && currency && fromMinorUnits(toMinorUnits(amount, currency), currency);
    const byKey = <Row extends { key: string }>(all: readonly Row[]) => new Map(all.map((row) => [row.key, row]));
    expect(byKey(rows.map((row) => ({ ...row, amount: plain(row.amount, row.currency) })))).toEqual(byKey(known));
  });
});
