import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { asRequests, households, openMarket } from '@tributary/market';
import { fromMinorUnits, toMinorUnits } from '@tributary/rules';
import { buildApiKey, buildProfile, openTest } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';

const market = openMarket({ seed: 11, people: 150, days: 60, walkInPurchases: 40 });
const requests = asRequests(market, { trackingKey: 'trk_0123456789abcdefghijkl' });
const people = [...households(market)];

const { kit, api } = await openTest();

test("the API accepts a market's requests, and the ledger then matches the market's book", async () => {
  const profile = await buildProfile(kit.app, { reportingCurrency: market.reportingCurrency });
  const { headers } = await buildApiKey(kit.app, profile.id, {
    scopes: ['attribution:write', 'goals:write'],
    requestsPerMinute: 600_000,
  });
  await saveRates(kit.system, 'market', market.rates.quotes);
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
      SELECT o.idempotency_key AS key, o.occurred_at AS at, (o.amount - o.refunded)::text AS amount, o.currency, o.reporting_amount::text AS reporting,
        o.is_first_payment AS first, o.subject_ref AS subject, i.value AS customer
      FROM outcomes o LEFT JOIN identifiers i ON i.profile_id = o.profile_id AND i.customer_id = o.customer_id
        AND i.kind = 'external_customer_id'`.execute(tx),
  );
  const knownOutcomes = people.flatMap(({ people: members }) =>
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
  expect(byKey(rows.map((row) => ({ ...row, amount: plain(row.amount, row.currency) })))).toEqual(byKey(knownOutcomes));
});
