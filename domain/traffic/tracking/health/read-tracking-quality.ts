import type { Routes } from '@tributary/contract';
import { findDays } from '@tributary/domain/tenancy/tenants';
import { countBadVisitsByDay, countRefusedByDay, listLinkedVisitors } from '@tributary/domain/traffic/ingestion';
import { answer, type Handles } from '@tributary/operations';
import type { TrackingServices } from '../services.ts';
import { qualityByDay, silentSince, totalQuality } from './quality.ts';

/**
 * Links between browsers and customers are stored in PostgreSQL, visits in ClickHouse. Up to this many links are sent
 * as a query parameter, whose limit is 128 KiB, and unmatched visits are exact. With more links, only browsers up to
 * the last sent id are sampled. Ids are hashes, so this is a fair sample.
 */
const maxLinks = 3_000;
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export const readTrackingQuality: Handles<Routes['readTrackingQuality'], Pick<TrackingServices, 'clickhouse'>> = async (
  { query },
  { caller, ledger, now, signal, clickhouse },
) => {
  const profileId = caller.profileId;
  const { period, bad, refused, linked } = await ledger.transaction(
    async (tx) => {
      const found = await findDays(tx, profileId, query.date_from, query.date_to);
      return {
        period: found,
        bad: await countBadVisitsByDay(tx, profileId, found),
        refused: await countRefusedByDay(tx, profileId, query.date_from, query.date_to),
        linked: await listLinkedVisitors(tx, profileId, maxLinks + 1),
      };
    },
    { readOnly: true },
  );
  const isEstimated = linked.length > maxLinks;
  const sentIds = linked.slice(0, maxLinks);
  const [rows, [newest]] = await Promise.all([
    clickhouse.query(
      'visit_count_daily',
      {
        profile_id: profileId,
        time_zone: period.timeZone,
        from: period.from,
        to: period.until,
        linked: sentIds,
        sample_through: isEstimated ? (sentIds.at(-1) ?? lastId) : lastId,
      },
      { signal },
    ),
    clickhouse.query('profile_read_state', { profile_id: profileId }, { signal }),
  ]);
  const visits = rows.map((row) => ({
    day: row.day,
    visits: Number(row.visits),
    bots: Number(row.bots),
    sampled: Number(row.sampled),
    sampledUnmatched: Number(row.sampled_unmatched),
  }));
  const days = qualityByDay(query.date_from, query.date_to, visits, bad, refused);
  const lastVisitAt = newest?.newest_received_at ?? null;
  return answer(200, {
    data: {
      total: totalQuality(days),
      is_unmatched_estimated: isEstimated,
      last_visit_at: lastVisitAt,
      silent_since: silentSince(lastVisitAt, now),
      days,
    },
  });
};
