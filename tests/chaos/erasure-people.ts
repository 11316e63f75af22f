import { type ClickHouse, raw } from '@tributary/clickhouse';
import { browserVisit } from '@tributary/testkit';
import { v4 as randomId, v7 as uuid } from 'uuid';

/** A customer who will be erased. All of their data contains a word that occurs nowhere else. */
export interface Person {
  readonly word: string;
  readonly traits: Readonly<Record<string, string>>;
  /** The first is identified before the erasure. The identify visit of the second is still in the stream during it. */
  readonly browsers: readonly [string, string];
  readonly amount: string;
  readonly paidAt: Date;
}

export function makePerson(index: number, start: Date): Person {
  const word = `canary${String(index).padStart(6, '0')}`;
  return {
    word,
    traits: {
      external_id: `key-${word}`,
      email: `${word}@mail.example`,
      phone: `+569${String(70_000_000 + index)}`,
      first_name: word,
      last_name: word,
    },
    browsers: [uuid(), uuid()],
    amount: `${10 + (index % 90)}.${String(index % 100).padStart(2, '0')}`,
    // A distinct millisecond per person, so that conversions of the two profiles can be matched.
    paidAt: new Date(start.getTime() + index),
  };
}

export type Visit = Record<string, unknown>;

const sources = [
  'utm_source=google&utm_medium=cpc',
  'utm_source=facebook&utm_medium=paid_social',
  'utm_source=newsletter&utm_medium=email',
];
const page = (word: string, index: number) =>
  `https://shop.example/${word}/${index}?${sources[index % sources.length]}&utm_campaign=${word}`;

/** Visits of the first browser before any erasure. */
export const earlyVisits = ({ word, traits }: Person, at: Date): Visit[] => [
  browserVisit(at, { url: page(word, 0), referrer: `https://news.example/${word}` }),
  browserVisit(at, { url: page(word, 1), type: 'track', name: 'lead_created', properties: { note: word } }),
  browserVisit(at, { url: page(word, 2), type: 'identify', traits: { email: traits.email as string } }),
  // Invalid, because the session id is no UUID.
  browserVisit(at, { url: page(word, 0), session_id: word }),
];

/** Visits of both browsers that are still in the stream when the person is erased. */
export const lateVisits = ({ word, traits }: Person, at: Date): [Visit[], Visit[]] => [
  [browserVisit(at, { url: page(word, 1) }), browserVisit(at, { url: page(word, 2), session_id: word })],
  [
    browserVisit(at, { url: page(word, 0) }),
    browserVisit(at, { url: page(word, 1), type: 'identify', traits: { phone: traits.phone as string } }),
    browserVisit(at, { type: 'identify', traits: { email: traits.email as string }, session_id: word }),
  ],
];

/** Invalid visits of another browser that contain the person's data inside a URL, a sentence and a token. */
export const strayVisits = ({ word, traits }: Person, at: Date): Visit[] => {
  const link = `https://shop.example/thanks?email=${encodeURIComponent(traits.email as string)}&name=${word}`;
  const token = Buffer.from(JSON.stringify({ mail: traits.email })).toString('base64url');
  return [
    browserVisit(at, { url: link, session_id: 'no id' }),
    browserVisit(at, { url: `https://shop.example/?next=${encodeURIComponent(link)}`, session_id: 'no id' }),
    browserVisit(at, { session_id: 'no id', note: `Please mail ${traits.email}, or call ${traits.phone}: ${word}.` }),
    browserVisit(at, { session_id: 'no id', url: `https://shop.example/?t=${token}` }),
  ];
};

export const bystander = (at: Date): { client: string; visits: Visit[] } => ({
  client: uuid(),
  visits: [
    browserVisit(at),
    browserVisit(at, { type: 'identify', traits: { email: `${randomId()}@bystander.example` } }),
  ],
});

/**
 * Counts the conversions of a profile by everything that a report could show of them. Two profiles that received the same data have equal counts.
 */
export async function readReport(clickhouse: ClickHouse, profileId: string): Promise<Map<string, number>> {
  const rows = clickhouse.stream(
    raw<{ content: string }>(`
      SELECT toString(tuple(conversion_time, conversion_type, revenue_type, value, has_value, currency, is_first_payment,
        touch_count, country, device, touch_times, last_non_direct, linear, time_decay, position_based,
        arrayMap(id -> dictionary[id], source_ids))) AS content
      FROM attributed_conversions FINAL
      CROSS JOIN (SELECT CAST((groupArray(source_id), groupArray((channel, source, medium, platform))), 'Map(UInt64, Tuple(String, String, String, String))') AS dictionary
        FROM touch_sources FINAL WHERE profile_id = {profileId:UUID}) AS sources
      WHERE profile_id = {profileId:UUID}`),
    { profileId },
  );
  const report = new Map<string, number>();
  for await (const { content } of rows) report.set(content, (report.get(content) ?? 0) + 1);
  return report;
}

export function countDifferences(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  return [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key)).length;
}

export const sizeOf = (report: ReadonlyMap<string, number>): number =>
  [...report.values()].reduce((sum, count) => sum + count, 0);
