import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nilUuid } from '@tributary/vocabulary';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Parameters, type QueryName, queryFolder, type Row, raw } from './queries.ts';
import { createScratch, type Scratch } from './scratch.ts';

/** Not at midnight, so that a bound on the day cannot replace a bound on the time. */
const from = new Date('2026-05-10T09:00:00.000Z');
const until = new Date('2026-05-10T17:00:00.000Z');
const lastMoment = new Date(until.getTime() - 1);
const moments = [new Date(from.getTime() - 1), from, lastMoment, until];
const period = { from, until };
const day = '2026-05-10';
const dayNumber = Date.parse(day) / 86_400_000;

/** What a profile has, once, at one of the moments. */
const kinds = ['touch', 'visit', 'purchase', 'credit'] as const;
type Kind = (typeof kinds)[number];

interface Profile {
  readonly profile_id: string;
  readonly at: Date;
  readonly visitor: string;
  readonly conversion: string;
}
const profiles = new Map<Kind, readonly Profile[]>(
  kinds.map((kind) => [
    kind,
    moments.map((at) => ({ profile_id: randomUUID(), at, visitor: randomUUID(), conversion: randomUUID() })),
  ]),
);
const profilesOf = (kind: Kind) => profiles.get(kind) ?? [];
/** A profile with the purchases of all moments. */
const busyProfile = randomUUID();
const sqlTime = (at: Date) => at.toISOString().slice(0, -1).replace('T', ' ');
const [fit, batch, campaign, ad] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
const appliedAt = '2026-06-01 00:00:00.000';
const [before, after] = [new Date('2026-05-31T00:00:00Z'), new Date('2026-06-02T00:00:00Z')];

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
  const insert = (kind: Kind, columns: string, values: (profile: Profile, at: string) => string) => {
    const rows = profilesOf(kind).map((one) => `(${values(one, sqlTime(one.at))})`);
    return scratch.client.command(raw(`INSERT INTO ${columns} VALUES ${rows.join()}`), {});
  };
  await insert(
    'touch',
    'touches (profile_id, occurred_at, visitor_id, touch_id)',
    ({ profile_id, visitor }, at) => `'${profile_id}', '${at}', '${visitor}', generateUUIDv4()`,
  );
  await insert(
    'visit',
    'visits (profile_id, occurred_at, received_at, visitor_id, visit_id)',
    ({ profile_id, visitor }, at) => `'${profile_id}', '${at}', '${at}', '${visitor}', generateUUIDv4()`,
  );
  await insert(
    'purchase',
    `attributed_conversions (profile_id, conversion_time, conversion_id, version, person_id, conversion_type, revenue_type, value, has_value,
      currency, lookback_days, touch_count, touch_ids, touch_times, source_ids, last_non_direct, linear, time_decay, position_based, applied_at)`,
    ({ profile_id, conversion, visitor }, at) =>
      `'${profile_id}', '${at}', '${conversion}', 1, '${visitor}', 'purchase', 'cash', 100, true,
      'USD', 90, 1, ['${conversion}'], ['${at}'], [17], 1, [100], [100], [100], '${appliedAt}'`,
  );
  await insert(
    'credit',
    'model_credits (profile_id, fit_id, conversion_time, conversion_id, value, source_ids, credits, anyway)',
    ({ profile_id, conversion }, at) =>
      `'${profile_id}', '${fit}', '${at}', '${conversion}', 100, [17], map('markov', [60]), map('markov', 40)`,
  );
  await scratch.client.command(
    raw(
      `INSERT INTO attributed_conversions SELECT * REPLACE ('${busyProfile}' AS profile_id) FROM attributed_conversions`,
    ),
    {},
  );
  for (const kind of ['purchase', 'credit'] as const) {
    const columns = 'touch_sources (profile_id, source_id, channel, platform, campaign_id, ad_id)';
    await insert(
      kind,
      columns,
      ({ profile_id }) => `'${profile_id}', 17, 'paid_social', 'social_ads', '${campaign}', '${ad}'`,
    );
  }
  await insert(
    'purchase',
    'ad_delivery_daily (profile_id, day, entity_id, level, platform, currency, spend, version)',
    ({ profile_id }) => `'${profile_id}', '${day}', '${ad}', 'ad', 'social_ads', 'USD', 1, 1`,
  );
});
afterAll(() => scratch.drop());

type Find = (profile: Profile) => Promise<boolean>;
type Case = readonly [query: QueryName, what: string, kind: Kind, find: Find];

/** A query that finds the row of a profile: its result says so. */
const found = <Name extends QueryName>(
  query: Name,
  what: string,
  kind: Kind,
  parameters: (profile: Profile) => Parameters<Name>,
  isFound: (rows: readonly Row<Name>[], profile: Profile) => boolean = (rows) => rows.length > 0,
): Case => [
  query,
  what,
  kind,
  async (profile) => isFound(await scratch.client.query(query, parameters(profile)), profile),
];

const isPositive = (figure: unknown) => Number(figure ?? 0) > 0;
const inPeriod = ({ profile_id }: Profile) => ({ profile_id, ...period });
const now = { moment: 'now' } as const;
const then = { moment: 'then', as_of: after, entities_as_of: after } as const;
const changed = { moment: 'between', changed_since: before, as_of: after, entities_as_of: after } as const;
const credits = { level: 'campaign', model: 'last_touch', owners: 'entities', ...now } as const;
const divided = { ...credits, model: 'linear' } as const;
const everything = {
  is_everything: true,
  entity_id: nilUuid,
  owner_name: '',
  is_whole: false,
  is_cash: false,
  is_pipeline: false,
  is_new_purchase: false,
  conversion_type: '',
} as const;
const rates = {
  rates_1: [],
  rates_2: [],
  rates_3: [],
  rates_4: [],
  rates_5: [],
  rates_6: [],
  rates_7: [],
  rates_8: [],
  rates_9: [],
  rates_10: [],
  rates_11: [],
  rates_12: [],
  rates_13: [],
  rates_14: [],
  rates_15: [],
  rates_16: [],
};
const delivery = { first_day: day, last_day: day, currency: 'USD', ...rates };
const fitted = {
  fit_id: fit,
  fitted_model: 'markov',
  level: 'campaign',
  tested: [],
  units: [],
  times: [],
  doubts: [],
  ...now,
} as const;
const first = { below_value: '9223372036854775807', after_id: '' };
const histories = { batch_id: batch, share: 65_536, most: 400 };
const buckets = { time_zone: 'UTC', buckets_of_day: 1 };
const newest = { before_at: after, before_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

const cases: readonly Case[] = [
  found('model_count_people', 'visitors', 'touch', inPeriod, ([row]) => isPositive(row?.people)),
  found('model_count_people', 'customers', 'purchase', inPeriod, ([row]) => isPositive(row?.people)),
  found(
    'model_list_changed',
    'profiles',
    'purchase',
    () => ({ ...period, least: 1 }),
    (rows, { profile_id }) => rows.some((row) => row.profile_id === profile_id),
  ),
  found('model_list_histories', 'touches', 'touch', (one) => ({ ...inPeriod(one), ...histories })),
  found(
    'model_list_histories',
    'touches off the site',
    'purchase',
    (one) => ({ ...inPeriod(one), ...histories }),
    (rows) => rows.some(({ at }) => at.length > 0),
  ),
  found(
    'model_list_histories',
    'purchases',
    'purchase',
    (one) => ({ ...inPeriod(one), ...histories }),
    (rows) => rows.some(({ bought_at }) => bought_at.length > 0),
  ),
  found('model_list_paths', 'purchases', 'purchase', inPeriod),
  found(
    'model_list_sources',
    'purchases',
    'purchase',
    (one) => ({ ...inPeriod(one), ...now, level: 'campaign', limit: 9 }),
    ([row]) => isPositive(row?.purchases),
  ),
  found('model_read_change', 'purchases', 'purchase', inPeriod),
  found('model_read_purchases', 'purchases', 'purchase', inPeriod, ([row]) => isPositive(row?.purchases)),
  found('model_list_entities', 'credit', 'credit', (one) => ({
    ...inPeriod(one),
    ...fitted,
    ...first,
    only: nilUuid,
    limit: 9,
  })),
  found(
    'model_list_units',
    'credit of the period',
    'credit',
    (one) => ({ ...inPeriod(one), ...fitted, limit: 9 }),
    ([row]) => isPositive(row?.credit_of_period),
  ),
  found(
    'model_read_anyway',
    'value of the period',
    'credit',
    (one) => ({ ...inPeriod(one), fit_id: fit, fitted_model: 'markov' }),
    ([row]) => isPositive(row?.of_some),
  ),
  found(
    'model_sum_credits',
    'credit',
    'credit',
    (one) => ({ ...inPeriod(one), ...fitted }),
    ([row]) => isPositive(row?.purchases),
  ),
  found('conversion_first', 'conversions', 'purchase', inPeriod, ([row]) => isPositive(row?.conversions)),
  found('conversion_list_compared', 'conversions', 'purchase', (one) => ({
    ...inPeriod(one),
    ...buckets,
    buckets: [dayNumber],
    limit: 9,
  })),
  found('conversion_list_groups', 'conversions', 'purchase', (one) => ({
    ...inPeriod(one),
    ...buckets,
    marked: [],
    since: after,
  })),
  found('report_compare', 'value', 'purchase', (one) => ({ ...inPeriod(one), level: 'campaign', ...now })),
  ...[credits, divided].flatMap((by): Case[] => [
    found('report_list_platforms', `credit, ${by.model}`, 'purchase', (one) => ({
      ...inPeriod(one),
      ...by,
      owners: 'platforms',
    })),
    found('report_list_values', `credit, ${by.model}`, 'purchase', (one) => ({
      ...inPeriod(one),
      ...by,
      entity_ids: [campaign],
    })),
    found(
      'report_list_entities',
      `credit, ${by.model}`,
      'purchase',
      (one) => ({
        ...inPeriod(one),
        ...by,
        ...delivery,
        ...first,
        only: campaign,
        scope: 'all',
        parent: nilUuid,
        limit: 9,
      }),
      ([row]) => row?.by_type[0]?.[0] === 'purchase',
    ),
    found('report_read_unattributed', `credit, ${by.model}`, 'purchase', (one) => ({
      ...inPeriod(one),
      ...by,
      level: 'ad_set',
    })),
    found(
      'report_sum_credits',
      `credit, ${by.model}`,
      'purchase',
      (one) => ({ ...inPeriod(one), ...by, ...everything }),
      ([row]) => isPositive(row?.conversions),
    ),
    found('report_list_credits', `credit, ${by.model}`, 'purchase', (one) => ({
      ...inPeriod(one),
      ...by,
      ...everything,
      ...newest,
      limit: 9,
    })),
    found(
      'ad_list_figures',
      `credit, ${by.model}`,
      'purchase',
      (one) => ({ ...inPeriod(one), ...by, ...delivery, level: 'ad', time_zone: 'UTC', limit: 9 }),
      ([row]) => isPositive(row?.outcomes),
    ),
  ]),
  found('report_list_cash_parts', 'payments', 'purchase', (one) => ({ ...inPeriod(one), ...divided })),
  found('report_read_overview', 'conversions', 'purchase', (one) => ({ ...inPeriod(one), ...now, time_zone: 'UTC' })),
  found('report_read_overview', 'conversions at an earlier moment', 'purchase', (one) => ({
    ...inPeriod(one),
    ...then,
    time_zone: 'UTC',
  })),
  found('report_list_values', 'credit at an earlier moment', 'purchase', (one) => ({
    ...inPeriod(one),
    ...divided,
    ...then,
    entity_ids: [campaign],
  })),
  found('conversion_list_paths', 'conversions at an earlier moment', 'purchase', (one) => ({
    ...inPeriod(one),
    ...then,
    model: 'linear',
    times: [sqlTime(one.at)],
    ids: [one.conversion],
  })),
  found('change_list_causes', 'changes', 'purchase', (one) => ({
    ...inPeriod(one),
    ...credits,
    ...changed,
    ...everything,
    is_value: true,
  })),
  found('change_list_steps', 'changes', 'purchase', (one) => ({
    ...inPeriod(one),
    ...credits,
    ...changed,
    ...everything,
    ...newest,
    is_value: true,
    cause: '',
    before_cause: '',
    limit: 9,
  })),
  found('cohort_list', 'first payments', 'purchase', (one) => ({
    ...inPeriod(one),
    ...credits,
    time_zone: 'UTC',
    after_month: '',
    after_id: '',
    limit: 9,
  })),
  found('attributed_list', 'conversions', 'purchase', (one) => ({ ...inPeriod(one), ...now, level: 'campaign' })),
  found(
    'attributed_sum',
    'conversions',
    'purchase',
    (one) => ({ ...inPeriod(one), ...now, level: 'campaign' }),
    ([row]) => isPositive(row?.rows),
  ),
  found('touch_list_of_visitors', 'touches, both bounds included', 'touch', ({ profile_id, visitor }) => ({
    profile_id,
    visitor_ids: [visitor],
    since: from,
    until: lastMoment,
    limit: 9,
  })),
];

test.each(cases)(
  '%s finds %s from the beginning of a period to just before its end',
  async (_query, _what, kind, find) => {
    expect(await Promise.all(profilesOf(kind).map(find))).toEqual([false, true, true, false]);
  },
);

const journey = ({ profile_id, visitor }: Profile) => ({
  profile_id,
  visitor_ids: [visitor],
  until: lastMoment,
  limit: 9,
  offset: 0,
});
const journeyCases: readonly Case[] = [
  found('journey_list_visit_times', 'visits', 'visit', journey, ([row]) => isPositive(row?.events)),
  found('journey_list_visits', 'visits', 'visit', journey),
  found('journey_list_touch_times', 'touches', 'touch', journey, ([row]) => isPositive(row?.events)),
  found('journey_list_touches', 'touches', 'touch', journey),
  found('journey_list_visitless_touch_times', 'touches', 'touch', journey, ([row]) => isPositive(row?.events)),
  found('journey_list_visitless_touches', 'touches', 'touch', journey),
];
test.each(journeyCases)('%s finds %s up to and including a moment', async (_query, _what, kind, find) => {
  expect(await Promise.all(profilesOf(kind).map(find))).toEqual([true, true, true, false]);
});

test.each([credits, divided])('report_compare_days takes both sums of $model from the same period', async (by) => {
  const parameters = { profile_id: busyProfile, ...period, ...by, time_zone: 'UTC' };
  expect(await scratch.client.query('report_compare_days', parameters)).toEqual([]);
});

test('every query that takes the end of a period is tested here', () => {
  const partFolder = join(import.meta.dirname, 'parts');
  const parts = readdirSync(partFolder);
  const takesUntil = (file: string): boolean => {
    const text = readFileSync(file, 'utf8');
    const included = [...text.matchAll(/\{\{(?:part|map) (\w+)/g)].flatMap(([, name]) =>
      parts.filter((part) => part === `${name}.sql` || part.startsWith(`${name}_`)),
    );
    return text.includes('{until:') || included.some((part) => takesUntil(join(partFolder, part)));
  };
  const queries = readdirSync(queryFolder).filter((file) => takesUntil(join(queryFolder, file)));
  const tested = new Set<string>(['report_compare_days', ...[...cases, ...journeyCases].map(([query]) => query)]);
  expect(queries.map((file) => file.replace('.sql', ''))).toEqual([...tested].sort());
});
