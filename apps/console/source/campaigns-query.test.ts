import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { campaignsQuery, recheckInterval } from './campaigns-query.ts';
import { emptyRecheckMs } from './queries.ts';
import { limits } from './vocabulary.ts';

const scope = { profileId: '0198a000-0000-7000-8000-000000000000', from: '2026-11-01', to: '2026-11-18' };
const total = 2_010;
/** The last ten ads of the profile belong to the small campaign. */
const ads = Array.from({ length: total }, (_, index) => ({
  campaign_id: `ad-${index}`,
  campaign_external_id: index < total - 10 ? 'large' : 'small',
}));

/** Stubs the pages of the API and collects the requested URLs. */
function serveAds(): URL[] {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  const requested: URL[] = [];
  vi.stubGlobal('fetch', async (input: string | URL | Request) => {
    const url = new URL(input instanceof Request ? input.url : input, 'http://console.test');
    requested.push(url);
    const parent = url.searchParams.get('parent_id');
    const rows = ads.filter((ad) => parent === null || ad.campaign_external_id === parent);
    const start = Number(url.searchParams.get('cursor') ?? 0);
    const end = start + Number(url.searchParams.get('limit'));
    const pagination = { has_next: end < rows.length, cursor: String(end) };
    return Response.json({ data: rows.slice(start, end), pagination, meta: {} });
  });
  return requested;
}

afterEach(() => vi.unstubAllGlobals());

test('opening a campaign beyond the first 1,000 rows shows all of its ads', async () => {
  const requested = serveAds();
  const within = { platform: 'social_ads', campaign: 'small' };
  const { rows, isCut } = await new QueryClient().fetchQuery(campaignsQuery(scope, 'ad', 'last_touch', within));
  expect([rows.length, isCut]).toEqual([10, false]);
  expect(requested.map(({ searchParams }) => searchParams.get('parent_id'))).toEqual(['small']);
});

test('rows appear after the first page and are marked as incomplete until the last', async () => {
  serveAds();
  const client = new QueryClient();
  const options = campaignsQuery(scope, 'ad', 'last_touch');
  const shown: (number | undefined)[] = [];
  client.getQueryCache().subscribe(() => shown.push(client.getQueryData(options.queryKey)?.rows.length));
  const { rows, isCut } = await client.fetchQuery(options);
  expect([rows.length, isCut]).toEqual([1_000, true]);
  expect(shown).toContain(limits.campaigns);
});

const now = Date.parse('2026-11-18T12:00:00Z');
const connection = (state: 'running' | 'idle', lastSuccessAt: string | null) =>
  ({ sync: { state, last_success_at: lastSuccessAt } }) as Parameters<typeof recheckInterval>[1][number];

test.each([
  ['while there are no rows', [], [], emptyRecheckMs],
  ['while a sync is running', [{}], [connection('running', null)], emptyRecheckMs],
  ['shortly after a sync', [{}], [connection('idle', '2026-11-18T11:59:40Z')], emptyRecheckMs],
  ['no more after that', [{}], [connection('idle', '2026-11-18T11:59:20Z'), connection('idle', null)], false],
  ['not before the first answer', undefined, [connection('running', null)], false],
] as const)('rows are refetched: %s', (_when, rows, connections, expected) => {
  expect(recheckInterval(rows, connections, now)).toBe(expected);
});
