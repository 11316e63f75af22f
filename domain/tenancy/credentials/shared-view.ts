import type { RouteId, Routes } from '@tributary/contract';
import type { Caller } from '@tributary/operations';
import { type AllShards, findOnAnyShard } from '@tributary/postgres';
import { limits, type SharedPage, type ShownDays } from '@tributary/vocabulary';
import type { RawBuilder } from 'kysely';
import { toMemberCreator, type UserNames } from './creators.ts';
import { hashSecret, isWellFormedSecret } from './secret.ts';
import { type FoundView, findViewByHash, type ViewRow } from './shared-view-store.ts';

/** A route that a shared link can read: it declares its days and shows no customers. Others do not compile into a link. */
interface ShareableRoute {
  readonly reveals: { readonly days: Exclude<ShownDays, 'any'>; readonly people: 'none' };
  readonly access: { readonly grain: 'profile' };
}
type Shareable = { [Id in RouteId]: Routes[Id] extends ShareableRoute ? Id : never }[RouteId];

/** The operations that each page of the console calls. */
export const sharedOperations = {
  overview: ['readOverview', 'listCampaigns', 'readUnattributed', 'readCreativePicture'],
  campaigns: ['listCampaigns', 'readUnattributed', 'readAd', 'readOverview', 'readCampaignTrend'],
  platforms: ['readPlatformComparison', 'listCampaigns'],
  'top-ads': ['listTopPerformers', 'readCreativePicture'],
  cohorts: ['listCohorts'],
} as const satisfies Record<SharedPage, readonly Shareable[]>;

/** Resolves the secret of a link to a caller that can only read one report over certain days. */
export function sharedLinkAuthenticator(everywhere: AllShards) {
  return async (authorization: string | undefined, now: Date): Promise<Caller | undefined> => {
    const secret = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!secret || !isWellFormedSecret(secret, 'sharedView')) return undefined;
    const findAt = (at: Date) => findViewByHash(hashSecret(secret), at);
    const found = await findOnAnyShard(everywhere, findAt(now));
    return found && callerOf(found, findAt);
  };
}

const callerOf = (found: FoundView, findAt: (at: Date) => RawBuilder<FoundView>): Caller => ({
  kind: 'shared_link',
  credentialId: found.id,
  profileId: found.profileId,
  workspaceId: found.workspaceId,
  scopes: new Set(['campaigns:read']),
  isEntitled: false,
  // The lookup returns no links of healthcare-family profiles.
  isHealthcare: false,
  requestsPerMinute: limits.ratePerMinute.sharedLink,
  confined: {
    operations: new Set<string>([...sharedOperations[found.page], 'readSharedView' satisfies Shareable]),
    from: found.from,
    to: found.to,
  },
  recheck: async (tx, now) => {
    const { rows } = await findAt(now).execute(tx);
    return rows[0] && callerOf(rows[0], findAt);
  },
});

export const toViewResponse = (row: ViewRow, names: UserNames) => ({
  id: row.id,
  name: row.name,
  page: row.page,
  search: row.search,
  date_from: row.from,
  date_to: row.to,
  created_by: toMemberCreator(row.madeBy, names),
  created_at: row.createdAt.toISOString(),
  expires_at: row.expiresAt?.toISOString() ?? null,
});
