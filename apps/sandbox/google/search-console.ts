import { createDice } from '@tributary/market';
import type { CompanyDeps } from '../company.ts';
import { json, type Reply, type Route } from '../route.ts';
import { scopeOf, withScope } from './oauth.ts';

export interface SearchRow {
  readonly day: string;
  readonly query: string;
  readonly page: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

export const sites = [
  { siteUrl: 'https://shop.example/', permissionLevel: 'siteOwner' },
  { siteUrl: 'sc-domain:shop.example', permissionLevel: 'siteFullUser' },
  { siteUrl: 'https://old.example/', permissionLevel: 'siteUnverifiedUser' },
] as const;

const words = ['winter', 'shoes', 'gift', 'outlet', 'sale', 'running', 'black', 'cheap', 'new'];
const pages = ['https://shop.example/', 'https://shop.example/collections/all', 'https://shop.example/gift-guide'];
const rowsADay = 25;
const lateDays = 3;
const dayMs = 86_400_000;
const mostRows = 25_000;

/** The search queries of a day. The same for every site and every request, until the day is restated. */
export function searchDay(day: string, restatements = 0): SearchRow[] {
  const roll = createDice(Math.floor(Date.parse(day) / dayMs) + restatements * 100_000);
  const pick = <T>(from: readonly T[]) => from[Math.floor(roll() * from.length)] as T;
  const rows = Array.from({ length: rowsADay }, (_, place): SearchRow => {
    const impressions = 1 + Math.floor(roll() * 900);
    const query = `${pick(words)} ${pick(words)} ${place}`;
    const clicks = Math.floor(impressions * roll() * 0.2);
    return { day, query, page: pick(pages), clicks, impressions, position: Math.round((1 + roll() * 40) * 1e4) / 1e4 };
  });
  return rows.sort((one, other) => other.clicks - one.clicks);
}

/** The last final day, in California's time zone. */
export const lastFinalDay = (now: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles' }).format(now.getTime() - lateDays * dayMs);

export function searchConsoleRoutes(deps: CompanyDeps, restated: ReadonlyMap<string, number>): Route[] {
  return [
    {
      method: 'GET',
      path: '/google/webmasters/v3/sites',
      handle: withScope(deps, scopeOf.searchConsole, (_, grant) =>
        json(200, { siteEntry: sites.filter(({ siteUrl }) => grant.accounts.includes(siteUrl)) }),
      ),
    },
    {
      method: 'POST',
      path: '/google/webmasters/v3/sites/:site/searchAnalytics/query',
      handle: withScope(deps, scopeOf.searchConsole, (request, grant) => {
        const site = sites.find(({ siteUrl }) => siteUrl === request.params.site);
        if (!site || !grant.accounts.includes(site.siteUrl) || site.permissionLevel === 'siteUnverifiedUser') {
          return searchError(403, 'forbidden', "User does not have sufficient permission for site '...'.");
        }
        const {
          startDate = '',
          endDate = '',
          dimensions = [],
          rowLimit = 1_000,
          startRow = 0,
        } = JSON.parse(request.body) as {
          startDate?: string;
          endDate?: string;
          dimensions?: string[];
          rowLimit?: number;
          startRow?: number;
        };
        if (dimensions.join() !== 'date,query,page')
          return searchError(400, 'invalidParameter', 'The sandbox knows date,query,page.');
        if (rowLimit < 1 || rowLimit > mostRows) return searchError(400, 'invalidParameter', 'rowLimit');
        const last = [endDate, lastFinalDay(deps.now())].sort()[0] as string;
        const rows: SearchRow[] = [];
        for (let at = Date.parse(startDate); at <= Date.parse(last); at += dayMs) {
          const day = new Date(at).toISOString().slice(0, 10);
          rows.push(...searchDay(day, restated.get(day)));
        }
        const shown = rows.slice(startRow, startRow + rowLimit);
        return json(200, {
          ...(shown.length > 0 && {
            rows: shown.map((row) => ({
              keys: [row.day, row.query, row.page],
              clicks: row.clicks,
              impressions: row.impressions,
              ctr: row.clicks / row.impressions,
              position: row.position,
            })),
          }),
          responseAggregationType: 'byPage',
        });
      }),
    },
  ];
}

export const searchError = (code: number, reason: string, message: string): Reply =>
  json(code, { error: { code, message, errors: [{ message, domain: 'global', reason }] } });
