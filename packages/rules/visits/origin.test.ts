import { nilUuid } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import { entityIdOf } from '../entity-id.ts';
import { originOf } from './origin.ts';

const profileId = '0197a000-0000-7000-8000-000000000001';
const ad = (platform: string) => entityIdOf(profileId, platform, 'ad', '120210987654321');

describe('what an outcome says brought it', () => {
  test.each([
    ['an ad alone', { ad_id: '120210987654321' }, 'paid_social', 'social_ads', ad('social_ads'), null],
    [
      'a click to a chat',
      { ad_id: '120210987654321', click_ids: { ctwa_clid: 'x' } },
      'paid_social',
      'social_ads',
      ad('social_ads'),
      'ctwa_clid',
    ],
    [
      'a search ad',
      { ad_id: '120210987654321', click_ids: { gclid: 'x' } },
      'paid_search',
      'search_ads',
      ad('search_ads'),
      'gclid',
    ],
    ['a click whose ad is not named', { click_ids: { gbraid: 'x' } }, 'paid_search', 'search_ads', nilUuid, 'gbraid'],
    [
      'the cookie of a click',
      { click_ids: { fbc: 'fb.1.1.x', fbp: 'y' } },
      'organic_social',
      'social_ads',
      nilUuid,
      'fbc',
    ],
    [
      'the strongest of several',
      { click_ids: { fbclid: 'x', ttclid: 'y' } },
      'paid_social',
      'tiktok',
      nilUuid,
      'ttclid',
    ],
  ])('[jour-017] %s', (_name, said, channel, platform, adId, clickIdKind) => {
    expect(originOf(profileId, said)).toMatchObject({ channel, platform, ad_id: adId, click_id_kind: clickIdKind });
  });

  test.each([
    ['nothing', {}],
    ['who the browser is', { click_ids: { fbp: 'x' } }],
    ['an empty id', { ad_id: ' ', click_ids: { gclid: '' } }],
    ['a kind that nobody knows', { click_ids: { zzclid: 'x' } }],
  ])('[jour-017] %s brings nothing', (_name, said) => expect(originOf(profileId, said)).toBeNull());
});
