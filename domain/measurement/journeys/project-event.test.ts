import { expect, test } from 'vitest';
import { projectEvent } from './project-event.ts';
import type { LedgerEvent, TouchEvent } from './timeline.ts';

const row = {
  occurred_at: '2026-03-01T00:00:00.000Z',
  touch_id: 'touch-1',
  kind: 'visit',
  channel: 'paid_search',
  campaign_id: '00000000-0000-0000-0000-000000000000',
  ad_set_id: '00000000-0000-0000-0000-000000000000',
  ad_id: '00000000-0000-0000-0000-000000000000',
  click_id_kind: 'gclid',
  join_method: 'url_parameters',
  campaign_external_id: '101',
  ad_set_external_id: '',
  ad_external_id: '',
};
const names = [
  'ad_external_id',
  'ad_name',
  'ad_set_external_id',
  'ad_set_name',
  'campaign_external_id',
  'campaign_name',
  'channel',
  'click_id_kind',
  'credit',
  'in_window',
  'join_method',
  'kind',
  'occurred_at',
];

test('does not expose a new column of a store', () => {
  const canary = 'canary@example.test';
  const leaky = { ...row, email: canary, url: canary, city: canary, session_id: canary, new_column: canary };
  const touch = { at: 0, store: 'touches', row: leaky } as TouchEvent;
  const personal = { event_name: canary, idempotency_key: canary, rest: { page_url: canary, ad_id: canary } };
  const origin = { channel: 'paid_social', ad_id: 'ours', click_id_kind: null, new_column: canary };
  const outcome = { at: 0, store: 'ledger', isSynthetic: true, row: { ...leaky, ...personal, origin } };
  for (const event of [touch, outcome as unknown as LedgerEvent]) {
    const shown = projectEvent(event, undefined, new Map());
    expect(Object.keys(shown).sort()).toEqual(names);
    expect(JSON.stringify(shown)).not.toContain(canary);
  }
});

test('the window includes both ends of the lookback and nothing after the conversion', () => {
  const day = 86_400_000;
  const subject = { at: 100 * day, lookbackDays: 30, credit: undefined };
  const isIn = (at: number) => projectEvent({ at, store: 'touches', row } as TouchEvent, subject, new Map()).in_window;
  expect([70 * day - 1, 70 * day, 100 * day, 100 * day + 1].map(isIn)).toEqual([false, true, true, false]);
});

test('a touch takes missing ids from its ad’s parents', () => {
  const touchOfAd = { ...row, campaign_external_id: '', ad_id: 'ours' };
  const lineages = new Map([
    [
      'ours',
      {
        ad: { externalId: 'ad-3', name: '' },
        ad_set: { externalId: 'set-2', name: '' },
        campaign: { externalId: 'campaign-1', name: '' },
      },
    ],
  ]);
  expect(projectEvent({ at: 0, store: 'touches', row: touchOfAd } as TouchEvent, undefined, lineages)).toMatchObject({
    campaign_external_id: 'campaign-1',
    ad_set_external_id: 'set-2',
    ad_external_id: 'ad-3',
  });
});
