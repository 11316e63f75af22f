import { type Fault, faultsIn } from '../fault.ts';

/** Faults in attribution credit and ad spend. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/campaigns/record-spend.ts', ['domain/advertising/campaigns/import-spend.test.ts'], {
    'restated-spend-adds': [
      "if (before && isSame(before.figures, figures)) return { entityId: entity.id, status: 'unchanged' };",
      '',
      'uploading the same file twice restates every day',
    ],
    'restatement-without-history': [
      'if (before) replaced.push(before);',
      '',
      'the figures of a day before its restatement are lost',
    ],
  }),
  ...faultsIn(
    'domain/measurement/attribution/read-freshness.ts',
    ['domain/measurement/reports/report-meta.test.ts', 'domain/measurement/attribution/attribution.test.ts'],
    {
      'always-current': [
        "waitingSince !== null && now.getTime() - waitingSince.getTime() > behindAfterMs ? 'behind' : 'current'",
        "'current'",
        'a report never says that it is behind',
      ],
    },
  ),
  ...faultsIn('domain/measurement/attribution/replay.ts', ['domain/measurement/attribution/replay.test.ts'], {
    'replay-begins-again': [
      'firstBucket: row.buckets_done,',
      'firstBucket: 0,',
      'the progress of a stopped replay counts twice',
    ],
    'new-rules-without-a-name': [
      "cause === 'rules' ? 'rules' : 'replay'",
      "cause === 'rules' ? 'replay' : 'replay'",
      'changes by a new version of the rules are explained as a replay',
    ],
    'replay-of-rules-left-waiting': [
      'const waiting = await findOfRules(tx, profileId);',
      'const waiting = undefined as Awaited<ReturnType<typeof findOfRules>>;',
      'the replay requested by a release waits forever',
    ],
  }),
  ...faultsIn('domain/measurement/attribution/stage-batch.ts', ['domain/measurement/attribution/replay.test.ts'], {
    'new-rules-behind-other-causes': [
      "LEFT JOIN rules ON 'outcome_recorded' <> ALL (d.causes)",
      'LEFT JOIN rules ON false',
      'changes by new rules are explained as a late visit',
    ],
    'new-rules-of-a-new-outcome': [
      "LEFT JOIN rules ON 'outcome_recorded' <> ALL (d.causes)",
      'LEFT JOIN rules ON true',
      'a new outcome is explained as changed by new rules',
    ],
  }),
  ...faultsIn('packages/postgres/migrations/0120_new_rules.sql', ['domain/measurement/attribution/replay.test.ts'], {
    'replays-of-rules-pile-up': [
      "\n  WHERE NOT EXISTS (SELECT FROM attribution_replays r WHERE r.profile_id = p.id AND r.cause = 'rules' AND r.state = 'queued')",
      '',
      'two releases with new rules replay everything twice',
    ],
  }),
  ...faultsIn(
    'domain/advertising/campaigns/entity.ts',
    ['domain/advertising/campaigns/import-spend.test.ts', 'domain/advertising/campaigns/copy-delivery.test.ts'],
    {
      'backfill-renames': [
        "(isLatest || before[trait] === '')",
        'true',
        "a file with last year's data renames campaigns",
      ],
      'ad-loses-its-ad-set': [
        '(isNearest && isLatest)',
        'isLatest',
        'an ad reported with only its campaign loses its ad set',
      ],
    },
  ),
  ...faultsIn(
    'domain/advertising/campaigns/copy-delivery.ts',
    ['domain/advertising/campaigns/copy-delivery.test.ts', 'apps/worker/copy-delivery.test.ts'],
    {
      'changed-again-not-copied': [
        'd.entity_id = done.entity_id AND d.day = done.day AND d.revision = done.revision',
        'd.entity_id = done.entity_id AND d.day = done.day',
        'spend that is restated during the copy keeps its old value',
      ],
    },
  ),
  ...faultsIn('packages/rules/attribution/path.ts', ['packages/rules/attribution', 'tests/parity/parity.test.ts'], {
    'window-without-its-end': [
      'touch.at <= at && touch.at >=',
      'touch.at < at && touch.at >=',
      'a touch at the exact time of the conversion earns no credit',
    ],
    'path-keeps-the-oldest': [
      '...touchesOfWindow.slice(1 - pathLength)]',
      '...touchesOfWindow.slice(1, pathLength)]',
      'a long path keeps its oldest touches and loses the latest',
    ],
    'path-loses-its-first': [
      '[...touchesOfWindow.slice(0, 1), ...touchesOfWindow.slice(1 - pathLength)]',
      'touchesOfWindow.slice(-pathLength)',
      'a long path loses its first touch',
    ],
    'told-click-earns-twice': [
      'if (reported.clickMark !== undefined && visit.clickMark === reported.clickMark) return true;',
      '',
      'a click reported by both the visit and the event earns credit twice',
    ],
    'later-click-swallowed': [
      'before >= 0 && before <= sameClickMs',
      'before <= sameClickMs',
      'a touch reported by the event is dropped because of a later click',
    ],
    'repeats-counted-by-campaign': [
      'channel, source, medium, platform, campaignId, adSetId, adId]);',
      'channel, source, medium, platform, campaignId, adSetId]);',
      'two ads of one ad set in one session count as one touch',
    ],
    'ties-by-first-half': [
      'return hex.slice(16) + hex.slice(0, 16);',
      'return hex;',
      'touches at the same time are ordered differently than in ClickHouse',
    ],
  }),
  ...faultsIn('packages/rules/attribution/left-out-reason.ts', ['packages/rules/attribution/left-out-reason.test.ts'], {
    'full-path-called-repeat': [
      "kinId === touch.touchId ? 'path_full' : 'repeat_of_session'",
      "kinId === touch.touchId ? 'repeat_of_session' : 'path_full'",
      'an explanation gives the wrong reason why a touch earned no credit',
    ],
  }),
  ...faultsIn(
    'packages/rules/attribution/models/position_based.ts',
    ['packages/rules/attribution', 'tests/parity/parity.test.ts'],
    {
      'position-ends-too-heavy': [
        '2n * BigInt(length - 2)',
        '3n * BigInt(length - 2)',
        'the first and last touch get 43% each instead of 40%',
      ],
    },
  ),
  ...faultsIn('packages/rules/attribution/fitted/fitted.ts', ['packages/rules/attribution/fitted.test.ts'], {
    'fitted-rest-lost': [
      'anyway: parts.at(-1) ?? 0n',
      'anyway: 0n',
      'revenue that would have come without ads is missing from the sum',
    ],
  }),
  ...faultsIn('packages/rules/experiments/share-out.ts', ['packages/rules/experiments/experiments.test.ts'], {
    'more-than-there-is-is-shared-out': [
      'Math.min(1, anyway / requested) / anyway',
      '1 / anyway',
      'campaigns are credited with more than the unattributed revenue',
    ],
  }),
  ...faultsIn('domain/measurement/models/read-advice.ts', ['domain/measurement/models/models.test.ts'], {
    'advice-when-unsure': [
      "if (action === 'leave') return [];",
      "if (action === 'leave') return { ...one, action: 'raise' as const, chance, netADay: 0 };",
      'advice is given for campaigns whose effect is uncertain',
    ],
  }),
  ...faultsIn('domain/measurement/models/refit-models.job.ts', ['domain/measurement/models/models.test.ts'], {
    'refits-without-news': [
      '!waiting && fittedAt <= Date.parse(changed_at)',
      '!waiting',
      'models are refitted every night to the same purchases',
    ],
  }),
  ...faultsIn('domain/measurement/models/tests.ts', ['domain/measurement/models/models.test.ts'], {
    'tests-hold-at-any-spend': [
      'if (!isNearTested(test, perDay / spends.unit)) return undefined;',
      '',
      'an experiment adjusts figures at spend levels that it did not measure',
    ],
  }),
  ...faultsIn('domain/measurement/models/fit-models.job.ts', ['domain/measurement/models/models.test.ts'], {
    'thin-fits-served': [
      "if (purchases < limits.models.purchases) return 'too_thin';",
      '',
      'a model is fitted to too few purchases',
    ],
  }),
  ...faultsIn('packages/rules/attribution/fitted/branching.ts', ['packages/rules/attribution/fitted.test.ts'], {
    'branching-keeps-credit': [
      'given[cause] = (given[cause] ?? 0) + (weight * rate) / all;',
      'given[cause] = (weight * rate) / all;',
      'a visit that led to two others is credited for only one',
    ],
  }),
  ...faultsIn(
    'domain/measurement/top-performers/lift-tested.ts',
    ['domain/measurement/top-performers/experiments.test.ts'],
    {
      'lift-at-any-spend': [
        'if (isNearTested(test, spend)) for (const',
        'for (const',
        "an experiment's lift is applied at ten times its spend",
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/experiments/start-experiment.ts',
    ['domain/measurement/top-performers/experiments.test.ts'],
    {
      'underpowered-tests-start': [
        "if (found.power?.verdict !== 'enough') return refuseExperiment('underpowered');",
        '',
        'an experiment without enough power is started',
      ],
    },
  ),
];
