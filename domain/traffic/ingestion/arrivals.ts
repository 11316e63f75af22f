import type { ClickHouse, Row } from '@tributary/clickhouse';
import { nilUuid } from '@tributary/vocabulary';

type Arrival = Row<'visit_list_arrivals'>;

/**
 * Gives each visit the source of its session. A page opened from another page of the site has no source of its own, so
 * it inherits the latest arrival in its session. A visit that is an arrival, or follows no known one, is returned
 * unchanged.
 */
export async function inheritSessionSource<Visit extends Arrival>(
  clickhouse: ClickHouse,
  profileId: string,
  visits: readonly Visit[],
  signal: AbortSignal,
): Promise<Visit[]> {
  const within = visits.filter(({ session_id }) => session_id !== nilUuid);
  if (within.length === 0) return [...visits];
  const arrivals = await clickhouse.query(
    'visit_list_arrivals',
    {
      profile_id: profileId,
      visitor_ids: [...new Set(within.map(({ visitor_id }) => visitor_id))],
      session_ids: [...new Set(within.map(({ session_id }) => session_id))],
    },
    { signal },
  );
  const bySession = Map.groupBy(arrivals, sessionKey);
  return visits.map((visit) => {
    const sessionArrivals = bySession.get(sessionKey(visit)) ?? [];
    if (sessionArrivals.some(({ visit_id }) => visit_id === visit.visit_id)) return visit;
    const latest = sessionArrivals.findLast(({ occurred_at }) => occurred_at <= visit.occurred_at);
    return latest ? { ...visit, ...toSource(latest) } : visit;
  });
}

const sessionKey = ({ visitor_id, session_id }: Pick<Arrival, 'visitor_id' | 'session_id'>) =>
  `${visitor_id} ${session_id}`;

const toSource = ({ channel, source, medium, platform, ...ids }: Arrival) => {
  const { campaign_external_id, ad_set_external_id, ad_external_id } = ids;
  return { channel, source, medium, platform, campaign_external_id, ad_set_external_id, ad_external_id };
};
