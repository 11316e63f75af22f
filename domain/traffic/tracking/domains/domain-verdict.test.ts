import { expect, test } from 'vitest';
import { buildProof, type DnsAnswer, decideDomain } from './domain-verdict.ts';

const proof = buildProof({ id: '0199', domain: 'track.shop.cl' }, 'https://collect.tributary.cl:8443/t');
const advice =
  'Set a CNAME record of track.shop.cl to collect.tributary.cl, or a TXT record of _tributary.track.shop.cl to tributary-verification=0199.';

test.each<[string, DnsAnswer, DnsAnswer, boolean, string, string]>([
  [
    'the right alias',
    ['collect.tributary.cl'],
    'no_such_name',
    false,
    'verified',
    'track.shop.cl is an alias (CNAME) of collect.tributary.cl.',
  ],
  [
    'an alias of an alias',
    ['t.cdn.cl', 'collect.tributary.cl'],
    'no_answer',
    false,
    'verified',
    'track.shop.cl is an alias (CNAME) of collect.tributary.cl.',
  ],
  [
    'the token',
    'no_record',
    ['v=spf1', 'tributary-verification=0199'],
    false,
    'verified',
    'The TXT record of _tributary.track.shop.cl holds the token. Visits arrive once track.shop.cl also leads to collect.tributary.cl.',
  ],
  [
    'a token in part',
    'no_record',
    ['tributary-verification=01'],
    false,
    'failed',
    `track.shop.cl has no CNAME record. The TXT record of _tributary.track.shop.cl holds something else. ${advice}`,
  ],
  [
    'a different alias',
    ['shops.other.cl'],
    'no_record',
    true,
    'failed',
    `track.shop.cl is an alias of shops.other.cl, not of collect.tributary.cl. There is no TXT record of _tributary.track.shop.cl. ${advice}`,
  ],
  [
    'an unknown name',
    'no_such_name',
    'no_such_name',
    true,
    'failed',
    `DNS knows no track.shop.cl. There is no TXT record of _tributary.track.shop.cl. ${advice}`,
  ],
  [
    'no answer',
    'no_answer',
    'no_answer',
    false,
    'failed',
    'DNS gave no answer about track.shop.cl in time. Try again in a while.',
  ],
  [
    'no answer after a proof',
    'no_record',
    'no_answer',
    true,
    'verified',
    'DNS gave no answer about track.shop.cl in time. The domain was verified before and stays so.',
  ],
])('%s', (_, cname, txt, wasVerified, status, verdict) => {
  expect(decideDomain(proof, { cname, txt }, wasVerified)).toEqual({ status, verdict });
});
