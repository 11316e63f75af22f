import { expect, test } from 'vitest';
import { adLine } from './ad-line.ts';

const ids = { campaign_external_id: '1', ad_set_external_id: '2', ad_external_id: '3' };

test.each([
  ['Winter', 'Winter | women', 'Winter | women - video', 'Winter › women › video'],
  ['Winter', 'Winter, women', 'Winter, women – video', 'Winter › women › video'],
  ['Winter', 'Winter', 'Video', 'Winter › Video'],
  ['Winter', null, null, 'Winter › Ad set 2 › Ad 3'],
] as const)(
  'names the ad in %s, %s, %s without repeating the names above it',
  (campaign_name, ad_set_name, ad_name, line) => {
    expect(adLine({ ...ids, campaign_name, ad_set_name, ad_name })).toBe(line);
  },
);
