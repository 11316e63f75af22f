import type { ClickHouse } from '@tributary/clickhouse';
import type { AssistantRoutes } from '@tributary/contract';
import { findAllMemberships, type Membership } from '@tributary/domain/tenancy/accounts';
import { findProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { TenantScope } from '@tributary/postgres';
import { limits, roles } from '@tributary/vocabulary';
import { findScored } from './list-top-performers.ts';

/** The best ads over all profiles of the member behind the assistant. Each profile is read separately under its own row-level security. */
export const rankTopPerformers: Handles<
  AssistantRoutes['rankTopPerformers'],
  { readonly clickhouse: ClickHouse }
> = async ({ query }, { caller, behind, servers, signal, clickhouse }) => {
  const { userId } = caller;
  if (!userId) return refuse('forbidden', 'Only an assistant of a person ranks over several profiles.');
  const memberships = await findAllMemberships(servers.allShards, userId);
  const readable = memberships.filter(mayRead).flatMap(scopesOf);
  const selected = readable.slice(0, limits.topPerformers.profiles);
  const ranked = [];
  for (const { name, ...scope } of selected) {
    const ledger = behind(scope);
    const facts = await ledger.transaction((tx) => findProfile(tx, scope.profileId), { readOnly: true });
    if (!facts) continue;
    const ads = await findScored({ clickhouse, ledger, signal }, scope.profileId, query);
    ranked.push(
      ...ads.map((ad) => ({ profile_id: scope.profileId, profile_name: name, currency: facts.currency, ...ad })),
    );
  }
  const data = ranked
    .filter(({ composite_score }) => composite_score !== null)
    // Scores are percentiles within a profile. Amounts in different currencies cannot be compared.
    .sort((a, b) => (b.composite_score ?? 0) - (a.composite_score ?? 0) || (a.ad_id < b.ad_id ? -1 : 1))
    .slice(0, query.limit);
  return answer(200, {
    data,
    meta: { profiles: selected.length, profiles_left_out: readable.length - selected.length },
  });
};

const mayRead = ({ role }: Membership): boolean => (roles[role].scopes as readonly string[]).includes('campaigns:read');

const scopesOf = ({ workspaceId, profiles }: Membership) =>
  profiles.map(({ id, name }) => ({ workspaceId, profileId: id, name }) satisfies TenantScope & { name: string });
