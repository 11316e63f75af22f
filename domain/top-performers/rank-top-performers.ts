import type { ClickHouse } from '@tributary/clickhouse';
import type { AssistantRoutes } from '@tributary/contract';
import { findAllMemberships, type Membership } from '@tributary/domain/accounts';
import { findProfile } from '@tributary/domain/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Wall } from '@tributary/postgres';
import { limits, roles } from '@tributary/vocabulary';
import { findScored } from './list-top-performers.ts';

/** The best ads of every profile of the person behind the assistant. Each profile is read by itself, behind its own wall. */
export const rankTopPerformers: Handles<
  AssistantRoutes['rankTopPerformers'],
  { readonly clickhouse: ClickHouse }
> = async ({ query }, { caller, behind, servers, signal, clickhouse }) => {
  const { userId } = caller;
  if (!userId) return refuse('forbidden', 'Only an assistant of a person ranks over several profiles.');
  const memberships = await findAllMemberships(servers.everywhere, userId);
  const theirs = memberships.filter(mayRead).flatMap(placesOf);
  const places = theirs.slice(0, limits.topPerformers.profiles);
  const ranked = [];
  for (const { name, ...wall } of places) {
    const ledger = behind(wall);
    const facts = await ledger.transaction((tx) => findProfile(tx, wall.profileId), { readOnly: true });
    if (!facts) continue;
    const ads = await findScored({ clickhouse, ledger, signal }, wall.profileId, query);
    ranked.push(
      ...ads.map((ad) => ({ profile_id: wall.profileId, profile_name: name, currency: facts.currency, ...ad })),
    );
  }
  const data = ranked
    .filter(({ composite_score }) => composite_score !== null)
    // Scores are places among a profile's own ads. Amounts of several currencies say nothing of who is before whom.
    .sort((a, b) => (b.composite_score ?? 0) - (a.composite_score ?? 0) || (a.ad_id < b.ad_id ? -1 : 1))
    .slice(0, query.limit);
  return answer(200, {
    data,
    meta: { profiles: places.length, profiles_left_out: theirs.length - places.length },
  });
};

const mayRead = ({ role }: Membership): boolean => (roles[role].scopes as readonly string[]).includes('campaigns:read');

const placesOf = ({ workspaceId, profiles }: Membership) =>
  profiles.map(({ id, name }) => ({ workspaceId, profileId: id, name }) satisfies Wall & { name: string });
