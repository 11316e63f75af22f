import { type ClickHouse, raw } from '@tributary/clickhouse';
import { browserVisit } from '@tributary/testkit';
import { v4 as randomId, v7 as uuid } from 'uuid';

/** Somebody who will be erased. Whatever is said of them holds a word that stands nowhere else. */
export interface Person {
  readonly word: string;
  readonly traits: Readonly<Record<string, string>>;
  /** Known from the start, and one that says who it is only while it is on its way. */
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
    // A millisecond each, so that conversions of two profiles can be held against each other.
    paidAt: new Date(start.getTime() + index),
  };
}

export type Visit = Record<string, unknown>;

const sources = [
  'utm_source=google&utm_medium=cpc',
  'utm_source=facebook&utm_medium=paid_social',
  'utm_source=newsletter&utm_medium=email',
];
const page = (word: string, place: number) =>
  `https://shop.example/${word}/${place}?${sources[place % sources.length]}&utm_campaign=${word}`;

/** What the first browser does before anybody is erased. */
export const earlyVisits = ({ word, traits }: Person, at: Date): Visit[] => [
  browserVisit(at, { url: page(word, 0), referrer: `https://news.example/${word}` }),
  browserVisit(at, { url: page(word, 1), type: 'track', name: 'lead_created', properties: { note: word } }),
  browserVisit(at, { url: page(word, 2), type: 'identify', traits: { email: traits.email as string } }),
  // Two that cannot be understood: by its browser, and by whom it names.
  browserVisit(at, { url: page(word, 0), session_id: word }),
];

/** What both browsers do shortly before, and what is in the log when the person is erased. */
export const lateVisits = ({ word, traits }: Person, at: Date): [Visit[], Visit[]] => [
  [browserVisit(at, { url: page(word, 1) }), browserVisit(at, { url: page(word, 2), session_id: word })],
  [
    browserVisit(at, { url: page(word, 0) }),
    browserVisit(at, { url: page(word, 1), type: 'identify', traits: { phone: traits.phone as string } }),
    browserVisit(at, { type: 'identify', traits: { email: traits.email as string }, session_id: word }),
  ],
];

/** What somebody else's browser sends that cannot be understood, and that names the person within an address, a sentence and a token. */
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

/** All that a report could count of each conversion: the same of two profiles to which the same was sent. Of equal ones, how many. */
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
