import { type ClickHouse, raw } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/**
 * A profile of any size, made by the engines themselves: people with one or two browsers, touches over 90 days, a payment each.
 * Both engines make the same ids from the same words, so nothing large passes through here.
 */
export interface LargeProfile {
  readonly profileId: string;
  /** One conversion a person. */
  readonly people: number;
  readonly touchesPerPerson: number;
}

const chunk = 50_000;
const variant = (digit: string) => `translate(${digit}, '0123456789abcdef', '89ab89ab89ab89ab')`;

/** The same UUID in both dialects: MD5 of a word, with the version and the two bits that every UUID has. */
const postgresId = (word: string) =>
  `(substr(md5(${word}), 1, 12) || '4' || substr(md5(${word}), 14, 3) || ${variant(`substr(md5(${word}), 17, 1)`)} || substr(md5(${word}), 18))::uuid`;
const clickhouseId = (word: string) =>
  `toUUID(concat(substring(lower(hex(MD5(${word}))), 1, 12), '4', substring(lower(hex(MD5(${word}))), 14, 3), ${variant(`substring(lower(hex(MD5(${word}))), 17, 1)`)}, substring(lower(hex(MD5(${word}))), 18)))`;

export async function fillLargeProfile(
  postgres: Postgres,
  clickhouse: ClickHouse,
  { profileId, people, touchesPerPerson }: LargeProfile,
  progress: (done: number, total: number, note: string) => void,
): Promise<void> {
  const ledger = postgres.forProfile(profileId);
  const definitionId = uuid();
  const browsers = Math.floor(people * 1.3);
  await ledger.transaction(async (tx) => {
    await sql`INSERT INTO definitions VALUES (${profileId}, ${definitionId}, 'payment', 'Payment', 'payment_received', true, true, 90, true, now(), now())`.execute(
      tx,
    );
    await sql`INSERT INTO definition_events VALUES (${profileId}, 'payment_received', ${definitionId})`.execute(tx);
  });
  const person = postgresId(`'${profileId}p' || n`);
  for (let from = 0; from < browsers; from += chunk) {
    const to = Math.min(from + chunk, browsers) - 1;
    await ledger.transaction(async (tx) => {
      if (from < people) {
        const last = Math.min(to, people - 1);
        await sql
          .raw(`INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
          SELECT '${profileId}', ${person}, '{}', '{}', now(), now(), now() FROM generate_series(${from}, ${last}) n`)
          .execute(tx);
        await sql
          .raw(`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
            occurred_at, recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, is_first_payment, purchase_id, rest)
          SELECT '${profileId}', ${postgresId(`'${profileId}c' || n`)}, n::text, 'payment_received', 'payment_received', 'payment_received',
            'payment_received', ${person}, timestamptz '2026-01-15Z' + make_interval(secs => (hashint4(n) & 2147483647) % (75 * 86400)), now(), now(), a, 'USD', a, 'USD', 1,
            '2026-01-01', true, ${postgresId(`'${profileId}c' || n`)}, '{}'
          FROM generate_series(${from}, ${last}) n, LATERAL (SELECT ((hashint4(n + 7) & 2147483647) % 1000000)::numeric / 100 AS a) v`)
          .execute(tx);
      }
      await sql
        .raw(`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
        SELECT '${profileId}', ${postgresId(`'${profileId}v' || n`)}, ${postgresId(`'${profileId}p' || (n % ${people})`)}, 'identify', now()
        FROM generate_series(${from}, ${to}) n`)
        .execute(tx);
    });
    progress(to + 1, browsers, 'people');
  }
  await sql
    .raw('ANALYZE outcomes, visitor_links, customers')
    .execute(postgres.database)
    .catch(() => {});

  const touches = people * touchesPerPerson;
  const step = 2_000_000;
  // Only browsers are known to both engines. The other ids may be made any way, and there are many.
  const entity = (kind: string, count: number) =>
    `reinterpretAsUUID(sipHash128('${profileId}${kind}', intHash64(number) % ${count}))`;
  for (let from = 0; from < touches; from += step) {
    const length = Math.min(step, touches - from);
    await clickhouse.command(
      raw(`INSERT INTO touches (* EXCEPT (source_id, click_mark))
        SELECT '${profileId}', ${clickhouseId(`concat('${profileId}v', toString(number % ${browsers}))`)},
          toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + (intHash64(number + 1) % (90 * 86400000)) / 1000,
          generateUUIDv4(1), 'visit', generateUUIDv4(2),
          ['direct', 'paid_social', 'paid_search', 'organic_search', 'email'][intHash64(number + 2) % 5 + 1], ['google', 'facebook', 'news'][intHash64(number + 3) % 3 + 1], '', 'social_ads',
          ${entity('k', 40)}, ${entity('g', 200)}, ${entity('a', 1_000)}, '', '', 'CL', 'mobile'
        FROM numbers(${from}, ${length})`),
      {},
    );
    progress(from + length, touches, 'touches');
  }
}
