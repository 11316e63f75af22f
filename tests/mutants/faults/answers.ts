import { type Fault, faultsIn } from '../fault.ts';

/** Faults in reports, journeys and scores. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/measurement/journeys/page.ts', ['domain/measurement/journeys/page.test.ts'], {
    'journey-ties-reversed': [
      'if (time !== undefined && time < at) {',
      'if (time !== undefined && time <= at) {',
      'events at the same time are in another order than on the previous page',
    ],
    'last-until-excludes': [
      'if ((times[middle] as number) <= at) low = middle + 1;',
      'if ((times[middle] as number) < at) low = middle + 1;',
      'a conversion at the exact time of a visit counts as off-site',
    ],
  }),
  ...faultsIn('domain/measurement/journeys/credit.ts', ['domain/measurement/journeys/credit.test.ts'], {
    'credit-place-off-by-one': [
      '(index + 1 === rank ? 1 : 0)',
      '(index === rank ? 1 : 0)',
      'a journey shows the credit at the touch after the right one',
    ],
  }),
  ...faultsIn('domain/measurement/journeys/mask-journey.ts', ['domain/measurement/journeys/journey-summary.test.ts'], {
    'names-reach-the-model': [
      '(isNamed(text) ? maskWords.name : maskName(text, effort))',
      'maskName(text, effort)',
      "customers' names are sent to the external AI model",
    ],
    'accented-names-reach-it': [
      ".replace(/\\p{M}/gu, '')\n",
      '\n',
      'accented names such as María in a page URL are sent to the external AI model',
    ],
  }),
  ...faultsIn('domain/measurement/journeys/store.ts', ['domain/measurement/journeys/journey-summary.test.ts'], {
    'allowance-one-more': [
      'WHERE a.used < ${perDay}',
      'WHERE a.used <= ${perDay}',
      'a workspace can create one summary more than its daily limit',
    ],
  }),
  ...faultsIn(
    'domain/measurement/journeys/read-journey-by-key.ts',
    ['domain/measurement/journeys/read-journey-by-key.test.ts'],
    {
      'people-found-without-scope': [
        "if (query.customer_key === undefined && !caller.scopes.has('customers:read')) {",
        'if (false) {',
        'a caller without customers:read can find customers by e-mail',
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/journeys/read-whole-or-projected.ts',
    [
      'domain/measurement/journeys/read-journey-by-key.test.ts',
      'domain/measurement/journeys/read-customer-journey.test.ts',
    ],
    {
      'whole-journey-for-all': [
        "return context.caller.scopes.has('customers:read')\n    ? readWhole(context, query)",
        "return context.caller.scopes.has('analytics:read')\n    ? readWhole(context, query)",
        'a caller without customers:read sees the whole journey',
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/journeys/read-customer-export.ts',
    ['domain/measurement/journeys/read-customer-export.test.ts'],
    {
      'export-ends-early': [
        'Object.values(totals).some((total) => total > query.offset + query.limit)',
        'Object.values(totals).every((total) => total > query.offset + query.limit)',
        'a customer export reports its end while one of its lists continues',
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/reports/figures.ts',
    [
      'domain/measurement/reports/campaigns.test.ts',
      'domain/measurement/reports/delivery.test.ts',
      'domain/measurement/reports/report-meta.test.ts',
    ],
    {
      'unknown-spend-is-zero': [
        '(row.is_spend_unknown ? null : cost(row.spend, currency))',
        'cost(row.spend, currency)',
        'spend that could not be converted is shown as zero',
      ],
      'unknown-cash-is-zero': [
        "payments !== '0' && valued === '0' ? null : value",
        'value',
        'payments without an exchange rate are shown as worth zero',
      ],
    },
  ),
  ...faultsIn(
    'packages/rules/ratio.ts',
    ['packages/rules/ratio.test.ts', 'domain/measurement/reports/campaigns.test.ts'],
    {
      'divided-by-nothing': [
        'dividend === null || divisor === null || Number(divisor) === 0',
        'dividend === null || divisor === null',
        'a report fails if a campaign has no spend',
      ],
    },
  ),
  ...faultsIn('domain/measurement/reports/sides.ts', ['domain/measurement/reports/read-platform-comparison.test.ts'], {
    'gap-the-other-way': [
      'subtractAmounts(String(ours), claimed)',
      'subtractAmounts(claimed, String(ours))',
      "the difference to the platform's figure has the wrong sign",
    ],
    'claimed-roas-of-ours': [
      'platform_roas: ratio(claimedValue, spend)',
      'platform_roas: ratio(revenue, spend)',
      "the platform's ROAS is computed from our revenue",
    ],
  }),
  ...faultsIn(
    'domain/measurement/reports/conversion-page.ts',
    ['domain/measurement/reports/explain.test.ts', 'domain/measurement/reports/campaigns.test.ts'],
    {
      'last-page-promised': [
        'has_next: found.length > keys.length,',
        'has_next: found.length >= keys.length,',
        'a list reports a next page that is empty',
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/reports/cursor.ts',
    [
      'domain/measurement/reports/campaigns.test.ts',
      'domain/measurement/reports/explain.test.ts',
      'tests/generated/fuzz.test.ts',
    ],
    {
      'made-up-cursors': [
        "checks.every((check, index) => typeof position[index] === 'string' && check(position[index]));",
        'true;',
        'an invalid cursor causes a 500',
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/top-performers/list-top-performers.ts',
    ['domain/measurement/top-performers/list-top-performers.test.ts'],
    {
      'spend-filter-ignored': [
        'min_spend: (query.min_spend ?? 0).toFixed(4),',
        "min_spend: '0.0000',",
        'ads with almost no spend rank among the best',
      ],
      'scores-leave-nothing-out': [
        'exclusions: [...(scored?.exclusions ?? [])],',
        'exclusions: [],',
        'scores do not report the money that could not be converted',
      ],
      'scores-of-ever-have-a-beginning': [
        "date_from: scored && window !== 'lifetime' ? scored.firstDay : null,",
        'date_from: scored ? scored.firstDay : null,',
        'lifetime scores report the year 2000 as their start',
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/top-performers/shown-figures.ts',
    ['domain/measurement/top-performers/top-performer-ad.test.ts'],
    {
      'cac-of-all-outcomes': [
        'cac: ratio(spend, cash),',
        'cac: ratio(spend, Number(score.outcomes)),',
        'CAC divides by all outcomes, so it is the cost of a lead',
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/top-performers/explain-score.ts',
    ['domain/measurement/top-performers/top-performer-ad.test.ts'],
    {
      'layers-without-trust': [
        '(50 + (place - 50) * standing.trust)',
        'place',
        'the layers of a score do not add up to the score',
      ],
    },
  ),
  ...faultsIn('domain/measurement/reports/read-figure-rows.ts', ['domain/measurement/reports/explain.test.ts'], {
    'gap-adds-claims': [
      'contributes: negated(row.contributes)',
      'contributes: row.contributes',
      "the platform's claim is added to the gap instead of subtracted",
    ],
  }),
  ...faultsIn(
    'domain/measurement/top-performers/read-figures.ts',
    ['domain/measurement/top-performers/list-top-performers.test.ts'],
    {
      'spend-left-out-in-silence': [
        'return [...payments, ...spendWithoutRate(left)];',
        'return payments;',
        'scores do not report which spend they exclude',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/parts/last_scores.sql',
    [
      'domain/measurement/top-performers/list-top-performers.test.ts',
      'domain/measurement/top-performers/rebuild-scores.test.ts',
    ],
    {
      'last-ad-stays-scored': [
        " AND ad_id = toUUID('00000000-0000-0000-0000-000000000000')\n    )",
        " AND ad_id != toUUID('00000000-0000-0000-0000-000000000000')\n    )",
        'ads stay scored in a window after none of them runs any more',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/queries/ad_list_scores.sql',
    [
      'domain/measurement/top-performers/list-top-performers.test.ts',
      'domain/measurement/top-performers/rebuild-scores.test.ts',
    ],
    {
      'unscored-first': [
        'composite_score DESC NULLS LAST',
        'composite_score DESC NULLS FIRST',
        'ads without a score rank first',
      ],
    },
  ),
  ...faultsIn('packages/rules/scoring/score.ts', ['packages/rules/scoring/scoring.test.ts'], {
    'ties-stand-above': ['50 + (blend - 50) * trust', 'blend', 'an ad with one lucky sale ranks first'],
    'platform-claims-count': [
      "['all', ({ earned }) => earned.total],",
      "['all', ({ earned }) => earned.platformConversions ?? earned.total],",
      "the platform's own conversion count decides the score",
    ],
  }),
  ...faultsIn('packages/rules/scoring/percentile.ts', ['packages/rules/scoring/scoring.test.ts'], {
    'equals-stand-apart': [
      '(100 * (from + to)) / 2 / sorted.length',
      '(100 * to) / sorted.length',
      'the median of a sample is not 50',
    ],
  }),
  ...faultsIn('packages/rules/scoring/cohort.ts', ['packages/rules/scoring/scoring.test.ts'], {
    'channel-let-go': [
      'dimensions.slice(0, count)',
      'dimensions.slice(-count)',
      'search ads are compared with feed ads',
    ],
  }),
  ...faultsIn('packages/rules/scoring/outcomes.ts', ['packages/rules/scoring/scoring.test.ts'], {
    'mature-too-soon': [
      "total < matureFrom ? 'early' : 'mature'",
      "total <= matureFrom ? 'early' : 'mature'",
      'an ad with enough outcomes to be mature is still shown as early',
    ],
  }),
];
