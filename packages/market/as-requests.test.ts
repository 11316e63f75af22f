import { checkClock, classifyVisit, decideTouch, readEnvelope, readVisit } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import { asRequests } from './as-requests.ts';
import { households } from './household.ts';
import { openMarket } from './market.ts';

const trackingKey = 'trk_0123456789abcdefghijkl';
const market = openMarket({ seed: 11, people: 150, days: 60, walkInPurchases: 40 });
const requests = asRequests(market, { trackingKey });
const people = [...households(market)];

test('the same market gives the same requests, in sending order', () => {
  expect(asRequests(market, { trackingKey })).toEqual(requests);
  for (const [index, { sentAt }] of requests.entries()) {
    expect(sentAt).toBeGreaterThanOrEqual(requests[index - 1]?.sentAt ?? market.from);
  }
  expect(() => asRequests(openMarket({ seed: 1, people: 20_001 }), { trackingKey })).toThrow(RangeError);
});

describe('requests of browsers', () => {
  const envelopes = requests.filter(({ path }) => path === '/v1/visits');
  const sent = envelopes.flatMap(({ body, sentAt }) => {
    const read = readEnvelope(body);
    if (!read.ok) return expect.unreachable(read.reason);
    expect(JSON.stringify(body).length).toBeLessThan(limits.visitRequest.bytes);
    return read.envelope.visits.map((said) => {
      const one = readVisit(said);
      if (!one.ok) return expect.unreachable(one.reason);
      expect(checkClock(one.visit.at, new Date(sentAt))).toBeUndefined();
      return { clientId: read.envelope.client_id, visit: one.visit };
    });
  });

  test('are classified as the touches that the market recorded, and as no others', () => {
    const found = new Map(
      sent.flatMap(({ clientId, visit }) => {
        const of = classifyVisit(visit);
        if (!decideTouch(visit, of)) return [];
        const fields = [of.channel, of.source, of.medium, of.platform, of.clickIdKind];
        const named = [of.campaignExternalId, of.adSetExternalId, of.adExternalId];
        return [[visit.id, [clientId, visit.at, visit.session_id, ...fields.map((word) => word ?? ''), ...named]]];
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

  test('identify each linked browser once', () => {
    const emails = new Map(
      sent.flatMap(({ clientId, visit }) => (visit.traits ? [[clientId, visit.traits.email]] : [])),
    );
    const known = people.flatMap(({ people: members, browsers }) =>
      browsers
        .filter(({ touches, linkedTo }) => touches.length > 0 && linkedTo !== null)
        .map(
          ({ clientId, linkedTo }) =>
            [clientId, members.find(({ index }) => index === linkedTo)?.customer?.email] as const,
        ),
    );
    expect(emails).toEqual(new Map(known));
  });
});
