import { expect, test } from 'vitest';
import { csvOf, fileNameOf } from '../parts/csv.ts';
import type { CampaignRow } from '../queries.ts';
import { campaignCsv } from './campaign-csv.ts';

test('the CSV of campaigns contains dates, currency, model, platform, status and ids, and ends with totals', () => {
  const scope = { profileId: 'p', from: '2026-11-01', to: '2026-11-18', asOf: undefined };
  const row = {
    campaign_id: 'c-1',
    campaign_name: 'Winter',
    platform: 'social_ads',
    status: 'ACTIVE',
    external_id: '12',
  };
  const columns = [
    { id: 'name', title: 'Name', value: (one: CampaignRow) => one.campaign_name, cell: () => null },
    { id: 'roas', title: 'ROAS', value: (one: CampaignRow) => one.roas ?? null, cell: () => null },
  ];
  const options = { name: 'Shop Ñ', scope, level: 'campaign', model: 'linear', currency: 'USD' } as const;
  const csv = campaignCsv(options, columns, [{ campaign_name: 'All', roas: 5.5 }]);
  const rows = [{ ...row, roas: 4.9975 } as CampaignRow, ...csv.totals];
  expect(csvOf(csv.columns, rows).slice(1).trimEnd().split('\r\n')).toEqual([
    'date_from,date_to,currency,model,level,platform,status,id,external_id,Name,ROAS',
    '2026-11-01,2026-11-18,USD,linear,campaign,social_ads,ACTIVE,c-1,12,Winter,4.9975',
    '2026-11-01,2026-11-18,USD,linear,campaign,,,,,All,5.5',
  ]);
  expect(fileNameOf(csv.name)).toBe('shop-n-campaign-2026-11-01-2026-11-18.csv');
});
