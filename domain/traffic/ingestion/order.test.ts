import { raw } from '@tributary/clickhouse';
import { browserVisit, buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import fc from 'fast-check';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { delivered, messageOf, openTestIngestion, person, robot } from './ingestion.fixture.ts';
import { pipeline } from './pipeline.ts';

const { kit, clickhouse } = await openTestWithClickHouse();

const urls = [
  'https://shop.example/',
  'https://shop.example/a?utm_source=google&utm_medium=cpc&utm_campaign=spring&gclid=abcdefghijklmnopqrstuvwxyz',
  'https://shop.example/b?utm_source=newsletter&utm_medium=email',
  'https://shop.example/c?fbclid=AbCdEfGhIjKlMnOpQr&campaign_id=120200000000000001&ad_id=120200000000000009',
  'https://shop.example/user/ada@example.com',
];
const referrers = [undefined, 'https://www.google.com/', 'https://shop.example/a', 'https://checkout.stripe.com/x'];

/** A visit of one of five browsers, one of which is a bot. */
const someVisit = fc.record({
  browser: fc.nat({ max: 4 }),
  minutes: fc.nat({ max: 5_000 }),
  url: fc.constantFrom(...urls),
  referrer: fc.constantFrom(...referrers),
  isStart: fc.boolean(),
  type: fc.constantFrom('page_view', 'track', 'identify'),
});

interface Piece {
  readonly browser: number;
  readonly visit: Record<string, unknown>;
}

test('shuffling, duplicating and rebatching visits gives the same visits and touches', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(someVisit, { minLength: 1, maxLength: 40 }),
      fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
      async (generated, dice) => {
        const { id: profileId } = await buildProfile(kit.app);
        const clients = Array.from({ length: 5 }, () => uuid());
        const pieces = generated.map(({ browser, minutes, url, referrer, isStart, type }): Piece => {
          const at = new Date(kit.clock.now().getTime() - minutes * 60_000);
          const more = { track: { name: 'lead_created' }, identify: { traits: { email: `p${browser}@example.com` } } };
          const changes = { url, referrer, type, is_session_start: isStart, ...(more as Record<string, object>)[type] };
          return { browser, visit: browserVisit(at, changes) };
        });
        const inOrder = await outcomeOf(profileId, clients, [pieces.map((piece) => [piece])], kit.clock.now());
        const doubled = [...pieces, ...pieces.filter((_, index) => (dice[index] ?? 0) % 3 === 0)];
        const shuffled = doubled
          .map((piece, index) => ({ piece, rank: ((dice[index % 60] ?? 0) * 7_919 + index * 104_729) % 1_000_003 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ piece }) => piece);
        const later = new Date(kit.clock.now().getTime() + 60_000);
        const recut = await outcomeOf(profileId, clients, cut(shuffled, dice), later);
        expect(recut).toEqual(inOrder);
        expect(inOrder.visits).toHaveLength(pieces.length);
      },
    ),
    { numRuns: 12 },
  );
});

/** Splits visits into batches of requests; each request has one to three visits of one browser. */
function cut(pieces: readonly Piece[], dice: readonly number[]): Piece[][][] {
  const requests: Piece[][] = [];
  for (const piece of pieces) {
    const last = requests.at(-1);
    if (last && last[0]?.browser === piece.browser && last.length < 1 + ((dice[requests.length] ?? 0) % 3))
      last.push(piece);
    else requests.push([piece]);
  }
  const batches: Piece[][][] = [];
  while (requests.length > 0) batches.push(requests.splice(0, 1 + ((dice[batches.length] ?? 0) % 5)));
  return batches;
}

async function outcomeOf(
  profileId: string,
  clients: readonly string[],
  batches: readonly Piece[][][],
  receivedAt: Date,
) {
  for (const table of ['visits', 'touches']) await clickhouse.command(raw(`TRUNCATE TABLE ${table}`), {});
  const handle = pipeline(openTestIngestion(kit.app, clickhouse, () => kit.clock.now()));
  for (const batch of batches) {
    await handle(
      batch.map((request) => {
        const browser = request[0]?.browser ?? 0;
        return delivered(
          messageOf({
            profileId,
            receivedAt,
            client_id: clients[browser] as string,
            user_agent: browser === 4 ? robot : person,
            visits: request.map(({ visit }) => visit),
          }),
        );
      }),
    );
  }
  const read = (table: string, id: string, columns: string) =>
    clickhouse.query(raw(`SELECT ${columns} FROM ${table} FINAL ORDER BY ${id}`), {});
  // The arrival time is the only value that a redelivery may change.
  return {
    visits: await read('visits', 'visit_id', '* EXCEPT received_at'),
    touches: await read('touches', 'touch_id', '*'),
  };
}
