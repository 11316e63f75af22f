import { z } from 'zod';
import type { Pixel, Provider } from '../provider.ts';
import { createBooks } from './account-totals.ts';
import { createConnect } from './connect.ts';
import { MetaCredentials } from './credentials.ts';
import { createExport } from './export.ts';
import { createGraph } from './graph.ts';
import { createAct } from './run-action.ts';
import type { MetaSettings } from './settings.ts';
import { type MetaPosition, sync } from './sync.ts';

export type { MetaCredentials } from './credentials.ts';
export type { MetaSettings } from './settings.ts';

const AdsPixel = z.object({
  id: z.string(),
  name: z.string().optional(),
  creation_time: z.string().optional(),
  last_fired_time: z.string().optional(),
  is_unavailable: z.boolean().optional(),
  owner_business: z.object({ id: z.string(), name: z.string().optional() }).optional(),
});
const FacebookPage = z.object({ id: z.string(), name: z.string() });

export function createMeta(settings: MetaSettings): Provider<MetaCredentials, MetaPosition> {
  const graph = createGraph(settings);
  return {
    facts: {
      channel: 'social_ads',
      name: 'Meta Ads',
      budgetChangesAnHour: 4,
      neededToWrite: ['ads_management'],
    },
    credentials: MetaCredentials,
    connect: createConnect(settings, graph),
    act: createAct(graph),
    export: createExport(graph),
    books: createBooks(graph),
    sync: (account, from, call) => sync(graph, account, from, call),

    async pixels({ externalId, credentials }, call) {
      const fields =
        'id,name,creation_time,last_fired_time,is_unavailable,owner_business{id,name},is_consolidated_container';
      const rows = await graph.all(AdsPixel, `${externalId}/adspixels`, { fields }, credentials.accessToken, call);
      return rows.map(
        (row): Pixel => ({
          id: row.id,
          name: row.name ?? null,
          createdAt: instant(row.creation_time),
          lastFiredAt: instant(row.last_fired_time),
          isUnavailable: row.is_unavailable ?? null,
          ownerBusiness: row.owner_business
            ? { id: row.owner_business.id, name: row.owner_business.name ?? null }
            : null,
        }),
      );
    },

    pages: ({ credentials }, call) =>
      graph.all(FacebookPage, 'me/accounts', { fields: 'id,name' }, credentials.accessToken, call),
  };
}

/** Parses Meta's format 2024-05-01T10:00:00+0000. */
function instant(text: string | undefined): string | null {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
