import type { Fault } from '../fault.ts';

export const faults: readonly Fault[] = [
  {
    id: 'decay-too-slow',
    file: 'packages/rules/attribution/decay.ts',
    from: 'Math.round(scale * 2 ** (-hour / hoursPerHalfLife)),',
    to: 'Math.round(scale * 2 ** (-hour / (2 * hoursPerHalfLife))),',
    breaks: 'time decay: weight falls only to 0.707 within a week, then jumps to a half',
    tests: ['packages/rules/attribution/decay.test.ts'],
  },
  {
    id: 'lookback-start-lost',
    file: 'packages/clickhouse/queries/attribution_attribute.sql',
    from: 'arrayCount(moment -> moment < since, moments) AS before',
    to: 'arrayCount(moment -> moment <= since, moments) AS before',
    breaks: 'touch exactly at the start of the lookback is lost',
    tests: ['tests/parity/parity.test.ts', 'domain/measurement/attribution/attribution.test.ts'],
  },
  {
    id: 'nobodys-share-vanishes',
    file: 'packages/clickhouse/parts/credits_multiple.sql',
    from: 'if(empty(source_ids), [toUInt32(0)], arrayDistinct(owners_of_path))',
    to: 'if(empty(source_ids), [toUInt32(0)], arrayFilter(one -> one > 0, arrayDistinct(owners_of_path)))',
    breaks: "multi-credit: the share of nobody's touches vanishes from /unattributed",
    tests: ['domain/measurement/reports/read-unattributed.test.ts'],
  },
  {
    id: 'repeats-earn',
    file: 'packages/clickhouse/queries/attribution_attribute.sql',
    from: 'nth = 1 AND (at = 1 OR',
    to: '(at = 1 OR',
    breaks: 'a landing page opened twice earns twice',
    tests: ['domain/measurement/reports/explain.test.ts', 'tests/parity/parity.test.ts'],
  },
  {
    id: 'all-direct-goes-to-first',
    file: 'packages/clickhouse/parts/weigh_last_non_direct.sql',
    from: 'AS found = 0, n, found',
    to: 'AS found = 0, 1, found',
    breaks: 'last_non_direct of an all-direct path goes to the first touch',
    tests: ['tests/parity/parity.test.ts'],
  },
];
