import { type Fault, faultsIn } from '../fault.ts';

/** Of reports, journeys and scores. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/measurement/journeys/page.ts', ['domain/measurement/journeys/page.test.ts'], {
    'journey-ties-reversed': [
      'if (time !== undefined && time < at) {',
      'if (time !== undefined && time <= at) {',
      'events of one moment stand in another order than on the page before',
    ],
    'last-until-excludes': [
      'if ((times[middle] as number) <= at) low = middle + 1;',
      'if ((times[middle] as number) < at) low = middle + 1;',
      'a conversion at the moment of a visit counts as off the site',
    ],
  }),
  ...faultsIn('domain/measurement/journeys/credit.ts', ['domain/measurement/journeys/credit.test.ts'], {
    'credit-place-off-by-one': [
      '(index + 1 === rank ? 1 : 0)',
      '(index === rank ? 1 : 0)',
      'a journey shows the credit at the next touch',
    ],
  }),
  ...faultsIn('domain/measurement/journeys/mask-journey.ts', ['domain/measurement/journeys/journey-summary.test.ts'], {
    'names-reach-the-model': [
      '(isNamed(text) ? maskWords.name : maskName(text, effort))',
      'maskName(text, effort)',
      'a model outside is told names',
    ],
    'accented-names-reach-it': [
      ".replace(/\\p{M}/gu, '')\n",
      '\n',
      'María in a page’s address is told to a model outside',
    ],
  }),
  ...faultsIn('domain/measurement/journeys/store.ts', ['domain/measurement/journeys/journey-summary.test.ts'], {
    'allowance-one-more': [
      'WHERE a.used < ${perDay}',
      'WHERE a.used <= ${perDay}',
      'a workspace has one summary more than it may',
    ],
  }),
  ...faultsIn(
    'domain/measurement/journeys/read-journey-by-key.ts',
    ['domain/measurement/journeys/read-journey-by-key.test.ts'],
    {
      'people-found-without-scope': [
        "if (query.customer_key === undefined && !caller.scopes.has('customers:read')) {",
        'if (false) {',
        'somebody without the scope finds people by e-mail',
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
        'who may not see people sees the whole journey',
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
        'an export says that it is over while a list goes on',
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
        'spend that could not be converted is shown as none',
      ],
      'unknown-cash-is-zero': [
        "payments !== '0' && valued === '0' ? null : value",
        'value',
        'payments without a rate are shown as worth nothing',
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
        'a campaign without spend fails the report',
      ],
    },
  ),
  ...faultsIn('domain/measurement/reports/sides.ts', ['domain/measurement/reports/read-platform-comparison.test.ts'], {
    'gap-the-other-way': [
      'subtractAmounts(String(ours), claimed)',
      'subtractAmounts(claimed, String(ours))',
      'the gap has the wrong sign',
    ],
    'claimed-roas-of-ours': [
      'platform_roas: ratio(claimedValue, spend)',
      'platform_roas: ratio(revenue, spend)',
      "the platform's return is ours",
    ],
  }),
  ...faultsIn(
    'domain/measurement/reports/conversion-page.ts',
    ['domain/measurement/reports/explain.test.ts', 'domain/measurement/reports/campaigns.test.ts'],
    {
      'last-page-promised': [
        'has_next: found.length > keys.length,',
        'has_next: found.length >= keys.length,',
        'a list promises a page that is empty',
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
        'a made-up cursor is a 500',
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
        'ads that cost next to nothing are among the best',
      ],
      'scores-leave-nothing-out': [
        'exclusions: [...(scored?.exclusions ?? [])],',
        'exclusions: [],',
        'money that could not be converted is missing from scores in silence',
      ],
      'scores-of-ever-have-a-beginning': [
        "date_from: scored && window !== 'lifetime' ? scored.firstDay : null,",
        'date_from: scored ? scored.firstDay : null,',
        'scores of all days claim to begin in the year 2000',
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
        'the cost of a customer is that of a lead',
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
        'the layers of a score do not add up to it',
      ],
    },
  ),
  ...faultsIn('domain/measurement/reports/read-figure-rows.ts', ['domain/measurement/reports/explain.test.ts'], {
    'gap-adds-claims': [
      'contributes: negated(row.contributes)',
      'contributes: row.contributes',
      'what a platform claims counts for the gap instead of against it',
    ],
  }),
  ...faultsIn(
    'domain/measurement/top-performers/read-figures.ts',
    ['domain/measurement/top-performers/list-top-performers.test.ts'],
    {
      'spend-left-out-in-silence': [
        'return [...payments, ...spendWithoutRate(left)];',
        'return payments;',
        'scores do not say which spend they leave out',
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
        'the ads of a window stay in it when none of them runs any more',
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
        'ads without a score are the best',
      ],
    },
  ),
  ...faultsIn('packages/rules/scoring/score.ts', ['packages/rules/scoring/scoring.test.ts'], {
    'ties-stand-above': ['50 + (blend - 50) * trust', 'blend', 'an ad with one lucky sale is the best'],
    'platform-claims-count': [
      "['all', ({ earned }) => earned.total],",
      "['all', ({ earned }) => earned.platformConversions ?? earned.total],",
      'what a platform claims for itself decides the score',
    ],
  }),
  ...faultsIn('packages/rules/scoring/percentile.ts', ['packages/rules/scoring/scoring.test.ts'], {
    'equals-stand-apart': [
      '(100 * (from + to)) / 2 / sorted.length',
      '(100 * to) / sorted.length',
      'the middle of a sample is not 50',
    ],
  }),
  ...faultsIn('packages/rules/scoring/cohort.ts', ['packages/rules/scoring/scoring.test.ts'], {
    'channel-let-go': [
      'dimensions.slice(0, count)',
      'dimensions.slice(-count)',
      'ads of a search page are compared with those of a feed',
    ],
  }),
  ...faultsIn('packages/rules/scoring/outcomes.ts', ['packages/rules/scoring/scoring.test.ts'], {
    'mature-too-soon': [
      "total < matureFrom ? 'early' : 'mature'",
      "total <= matureFrom ? 'early' : 'mature'",
      'an ad is early although it has what makes it mature',
    ],
  }),
];
