import type { DeliveryRow } from '@tributary/market';
import { fromMinorUnits } from '@tributary/rules';
import { type Company, type CompanyDeps, sandboxClient } from '../company.ts';
import { consentRoutes } from '../consent-page.ts';
import type { Grant } from '../consents.ts';
import { json, type Reply, type Route, type SandboxRequest } from '../route.ts';

/** The state of TikTok: it has the same ads as Meta. */
export interface TikTokBook {
  readonly advertiser: string;
  readonly days: readonly DeliveryRow[];
}

const advertiser = '7000000000000000001';

export function createTikTokCompany({ world, consents }: CompanyDeps): Company<TikTokBook> {
  const campaigns = () =>
    world.market.campaigns.filter(({ platform, currency }) => platform === 'social_ads' && currency === 'USD');
  const days = () =>
    world.adDays.filter((row) => row.currency === 'USD' && row.entity.platform === 'social_ads' && row.impressions > 0);
  const enter =
    (handle: (request: SandboxRequest, grant: Grant) => Reply) =>
    (request: SandboxRequest): Reply => {
      const grant = consents.find(request.headers['access-token'], 'access', 'tiktok');
      return typeof grant === 'string'
        ? tiktokError(40105, 'Access token is incorrect or has been revoked.')
        : handle(request, grant);
    };
  const paged = <T>(request: SandboxRequest, rows: readonly T[], say: (row: T) => object): Reply => {
    const [page, size] = [
      Number(request.query.get('page') ?? 1),
      Math.min(50, Number(request.query.get('page_size') ?? 10)),
    ];
    const list = rows.slice((page - 1) * size, page * size).map(say);
    return ok({
      list,
      page_info: { page, page_size: size, total_number: rows.length, total_page: Math.ceil(rows.length / size) },
    });
  };
  const at = (path: string) => `/tiktok/open_api/v1.3${path}`;
  const get = (path: string, handle: (request: SandboxRequest, grant: Grant) => Reply): Route => ({
    method: 'GET',
    path: at(path),
    handle: enter(handle),
  });
  const adSets = () => campaigns().flatMap(({ adSets: all }) => all);
  const budget = { operation_status: 'ENABLE', budget_mode: 'BUDGET_MODE_DAY', budget: 50.5 };
  return {
    routes: [
      // TikTok has its own names for client_id and code.
      ...consentRoutes(
        {
          company: 'tiktok',
          name: 'TikTok',
          path: '/tiktok/portal/auth',
          clientAs: 'app_id',
          codeAs: 'auth_code',
          scopesBy: ',',
          scopes: ['ads.read'],
          choose: 'several',
          accounts: () => [{ id: advertiser, name: 'Sandbox advertiser' }],
          endings: { cancel: { error: 'access_denied' }, fail: { error: 'server_error' } },
        },
        consents,
      ),
      {
        method: 'POST',
        path: at('/oauth2/access_token/'),
        handle({ body }) {
          const { app_id: id, secret, auth_code: code } = JSON.parse(body) as Record<string, string>;
          if (id !== sandboxClient.id || secret !== sandboxClient.secret) return tiktokError(40002, 'Invalid app.');
          const grant = consents.redeem(code ?? '', { clientId: sandboxClient.id });
          if (typeof grant === 'string') return tiktokError(40110, 'Auth_code is expired or used.');
          return ok({
            access_token: consents.token(grant, 'access', 'sandboxtiktok'),
            advertiser_ids: grant.accounts,
            scope: [4],
          });
        },
      },
      get('/oauth2/advertiser/get/', (_, grant) =>
        ok({ list: grant.accounts.map((id) => ({ advertiser_id: id, advertiser_name: 'Sandbox advertiser' })) }),
      ),
      get('/advertiser/info/', (_, grant) =>
        ok({ list: grant.accounts.map((id) => ({ advertiser_id: id, currency: 'USD', timezone: 'Etc/UTC' })) }),
      ),
      get('/campaign/get/', (request) =>
        paged(request, campaigns(), (one) => ({
          campaign_id: one.externalId,
          campaign_name: one.name,
          objective_type: 'WEB_CONVERSIONS',
          ...budget,
        })),
      ),
      get('/adgroup/get/', (request) =>
        paged(request, adSets(), (one) => ({
          adgroup_id: one.externalId,
          adgroup_name: one.name,
          campaign_id: one.campaign.externalId,
          ...budget,
        })),
      ),
      get('/ad/get/', (request) =>
        paged(
          request,
          adSets().flatMap(({ ads }) => ads),
          (one) => ({
            ad_id: one.externalId,
            ad_name: one.name,
            adgroup_id: one.adSet.externalId,
            campaign_id: one.adSet.campaign.externalId,
            operation_status: 'ENABLE',
          }),
        ),
      ),
      get('/report/integrated/get/', (request) => {
        const [since, until] = [request.query.get('start_date') ?? '', request.query.get('end_date') ?? ''];
        const rowsInRange = days().filter(({ day }) => day >= since && day <= until);
        if (request.query.get('data_level') === 'AUCTION_ADVERTISER') {
          return paged(request, [...Map.groupBy(rowsInRange, ({ day }) => day)], ([day, rows]) => ({
            dimensions: { advertiser_id: advertiser, stat_time_day: `${day} 00:00:00` },
            metrics: {
              spend: fromMinorUnits(
                rows.reduce((sum, { spend }) => sum + spend, 0n),
                'USD',
              ),
            },
          }));
        }
        return paged(request, rowsInRange, (row) => ({
          dimensions: { ad_id: row.entity.externalId, stat_time_day: `${row.day} 00:00:00` },
          metrics: {
            spend: fromMinorUnits(row.spend, row.currency),
            impressions: String(row.impressions),
            clicks: String(row.clicks),
            reach: String(row.reach),
            conversion: String(row.claimedConversions),
          },
        }));
      }),
    ],
    book: {
      advertiser,
      get days() {
        return days();
      },
    },
  };
}

const ok = (data: object): Reply => json(200, { code: 0, message: 'OK', request_id: 'sandbox', data });
/** TikTok returns HTTP 200 for every error. */
export const tiktokError = (code: number, message: string): Reply =>
  json(200, { code, message, request_id: 'sandbox', data: {} });
