import type { Fault } from '../fault.ts';

export const faults: readonly Fault[] = [
  {
    id: 'decay-too-slow',
    file: 'packages/rules/attribution/decay.ts',
    from: 'Math.round(scale * 2 ** (-hour / hoursPerHalfLife)),',
    to: 'Math.round(scale * 2 ** (-hour / (2 * hoursPerHalfLife))),',
    breaks: 'time decay halves a weight in two weeks instead of one',
    tests: ['packages/rules/attribution/decay.test.ts'],
  },
  {
    id: 'lookback-start-lost',
    file: 'packages/clickhouse/queries/attribution_attribute.sql',
    from: 'arrayCount(moment -> moment < since, moments) AS before',
    to: 'arrayCount(moment -> moment <= since, moments) AS before',
    breaks: 'a touch exactly at the start of the lookback window is lost',
    tests: ['tests/parity/parity.test.ts', 'domain/measurement/attribution/attribution.test.ts'],
  },
  {
    id: 'nobodys-share-vanishes',
    file: 'packages/clickhouse/parts/credits_multiple.sql',
    from: 'if(empty(source_ids), [toUInt32(0)], arrayDistinct(owners_of_path))',
    to: 'if(empty(source_ids), [toUInt32(0)], arrayFilter(one -> one > 0, arrayDistinct(owners_of_path)))',
    breaks: 'in multi-touch models, the share of touches without an owner is missing from /unattributed',
    tests: ['domain/measurement/reports/read-unattributed.test.ts'],
  },
  {
    id: 'repeats-earn',
    file: 'packages/clickhouse/queries/attribution_attribute.sql',
    from: 'nth = 1 AND (at = 1 OR',
    to: '(at = 1 OR',
    breaks: 'a landing page opened twice earns credit twice',
    tests: ['domain/measurement/reports/explain.test.ts', 'tests/parity/parity.test.ts'],
  },
  {
    id: 'all-direct-goes-to-first',
    file: 'packages/clickhouse/parts/weigh_last_non_direct.sql',
    from: 'AS found = 0, n, found',
    to: 'AS found = 0, 1, found',
    breaks: 'last_non_direct credits the first touch of a path with only direct touches',
    tests: ['tests/parity/parity.test.ts'],
  },
];
