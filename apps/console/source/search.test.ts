import { expect, test } from 'vitest';
import {
  readCampaignSearch,
  readConversion,
  readCustomersSearch,
  readNext,
  readReceipt,
  readReportSearch,
  readWindow,
} from './search.ts';

const dates = { from: '2026-01-01', to: '2026-01-31' };

test('invalid search parameters fall back to the defaults', () => {
  expect(readReportSearch({ ...dates, model: 'best', explain: { field: 'luck', report: 'campaigns' } })).toEqual({
    ...dates,
    model: 'last_touch',
    compared: 'period',
  });
  expect(readCampaignSearch({ level: 'planet', within: 'a campaign' })).toEqual({ level: 'campaign' });
  expect(readWindow({ window: '3d' })).toEqual({ window: '28d' });
});

test('table filters are read as strings, and other values are dropped', () => {
  const { only } = readReportSearch({ ...dates, only: { platform: 'social_ads', status: 7, 'a b': 'c', nested: {} } });
  expect(only).toEqual({ platform: 'social_ads', status: '7' });
  expect(readReportSearch({ ...dates, only: 'social_ads' })).not.toHaveProperty('only');
});

test('an explanation is read completely, without unknown properties', () => {
  const explain = {
    report: 'campaigns',
    field: 'roas',
    entity: 'e-1',
    level: 'ad',
    model: 'linear',
    type: 'lead_created',
  };
  expect(readReportSearch({ ...dates, model: 'linear', explain: { ...explain, extra: 1 } })).toEqual({
    ...dates,
    model: 'linear',
    compared: 'period',
    explain,
  });
});

test('a drill-down has a platform and a campaign, whose id may look like a number', () => {
  const within = { platform: 'social_ads', campaign: 120001, adSet: '120002' };
  expect(readCampaignSearch({ level: 'ad', within })).toEqual({
    level: 'ad',
    within: { platform: 'social_ads', campaign: '120001', adSet: '120002' },
  });
  expect(readCampaignSearch({ level: 'campaign', within })).toEqual({ level: 'campaign' });
});

test.each(['https://evil.example/p/1', '//evil.example/p/', '/docs', 7])('signing in does not lead to %s', (next) => {
  expect(readNext({ next })).toEqual({});
});

test('signing in returns to the previous page', () => {
  expect(readNext({ next: '/p/1/campaigns?from=2026-01-01' })).toEqual({ next: '/p/1/campaigns?from=2026-01-01' });
});

test('a goal, a conversion and a receipt are read if their ids are valid', () => {
  const id = '019a8000-0000-7000-8000-000000000001';
  expect(readCustomersSearch({ goal: 'lead_created', search: 'Eva' })).toEqual({ goal: 'lead_created' });
  expect(readCustomersSearch({ goal: 'Eva Soto' })).toEqual({});
  expect(readConversion({ conversion: id })).toEqual({ conversion: id });
  expect(readConversion({ conversion: '../../keys' })).toEqual({});
  expect(readReceipt({ receipt: id })).toEqual({ receipt: id });
  expect(readReceipt({ receipt: 7 })).toEqual({});
});

test('an as-of date must be in the past', () => {
  expect(readReportSearch({ ...dates, asOf: '2026-02-01' })).toMatchObject({ asOf: '2026-02-01' });
  for (const asOf of ['2999-01-01', 'yesterday', 20_260_201])
    expect(readReportSearch({ ...dates, asOf })).not.toHaveProperty('asOf');
});
