import type { ClickHouse, Row } from '@tributary/clickhouse';
import { nilUuid } from '@tributary/vocabulary';

type Arrival = Row<'visit_list_arrivals'>;

/**
 * Visits as their sessions came: a page that was opened from another page of the site says of itself only that nothing brought it there,
 * and belongs to the arrival before it in its session. A visit that is an arrival, or follows none that is known, stays as it is.
 */
export async function asSessionsCame<Visit extends Arrival>(
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
  const bySession = Map.groupBy(arrivals, sessionOf);
  return visits.map((visit) => {
    const theirs = bySession.get(sessionOf(visit)) ?? [];
    if (theirs.some(({ visit_id }) => visit_id === visit.visit_id)) return visit;
    const last = theirs.findLast(({ occurred_at }) => occurred_at <= visit.occurred_at);
    return last ? { ...visit, ...sourceOf(last) } : visit;
  });
}

const sessionOf = ({ visitor_id, session_id }: Pick<Arrival, 'visitor_id' | 'session_id'>) =>
  `${visitor_id} ${session_id}`;

const sourceOf = ({ channel, source, medium, platform, ...named }: Arrival) => {
  const { campaign_external_id, ad_set_external_id, ad_external_id } = named;
  return { channel, source, medium, platform, campaign_external_id, ad_set_external_id, ad_external_id };
};
