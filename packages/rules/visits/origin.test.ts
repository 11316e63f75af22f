import { nilUuid } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import { entityIdOf } from '../entity-id.ts';
import { adWithoutPlatform, originOf } from './origin.ts';

const profileId = '0197a000-0000-7000-8000-000000000001';
const lookups = {
  platformOf: (adId: string) => ({ 'search-ad': 'search_ads', 'other-ad': 'billboards' })[adId],
  markOf: (click: string) => `mark of ${click}`,
};
const ad = (platform: string) => entityIdOf(profileId, platform, 'ad', '120210987654321');

describe('originOf', () => {
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
  ])('[jour-017] %s', (_name, fields, channel, platform, adId, clickIdKind) => {
    expect(originOf(profileId, fields, lookups)).toMatchObject({
      channel,
      platform,
      ad_id: adId,
      click_id_kind: clickIdKind,
    });
  });

  test.each([
    ['a field of the message', { ad_id: 'search-ad', platform: 'tiktok' }, 'tiktok', 'tiktok', 'paid_social'],
    ['the click', { ad_id: 'search-ad', click_ids: { fbclid: 'x' } }, 'social_ads', 'facebook', 'paid_social'],
    ['the ad, if it is lookups', { ad_id: 'search-ad' }, 'search_ads', 'google', 'paid_search'],
    ['an ad whose platform has no lookups site', { ad_id: 'other-ad' }, 'billboards', 'billboards', 'unknown'],
    ['nothing: then it is the usual one', { ad_id: 'unheard-of' }, 'social_ads', 'facebook', 'paid_social'],
  ])('takes the platform from %s', (_name, fields, platform, source, channel) => {
    const ad_id = entityIdOf(profileId, platform, 'ad', fields.ad_id);
    expect(originOf(profileId, fields, lookups)).toMatchObject({ platform, source, channel, ad_id });
    expect(adWithoutPlatform(fields)).toBe('platform' in fields || 'click_ids' in fields ? null : fields.ad_id);
  });

  test('gives a click one mark, reported by the link or by the cookie', () => {
    const marks = [
      { fbclid: 'IwAR.1' },
      { fbc: 'fb.1.1700000000.IwAR.1' },
      { fbclid: 'IwAR.2' },
      { fbc: 'odd' },
      {},
    ].map((click_ids) => originOf(profileId, { ad_id: 'x', click_ids }, lookups)?.click_mark);
    expect(marks).toEqual([
      'mark of fbclid:IwAR.1',
      'mark of fbclid:IwAR.1',
      'mark of fbclid:IwAR.2',
      'mark of fbclid:odd',
      null,
    ]);
  });

  test.each([
    ['nothing', {}],
    ['an id of the browser', { click_ids: { fbp: 'x' } }],
    ['an empty id', { ad_id: ' ', click_ids: { gclid: '' } }],
    ['an unknown kind of click id', { click_ids: { zzclid: 'x' } }],
  ])('[jour-017] returns null for %s', (_name, fields) => expect(originOf(profileId, fields, lookups)).toBeNull());
});
