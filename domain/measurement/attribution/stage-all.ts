import { randomUUID } from 'node:crypto';
import { type ClickHouse, dropPartition } from '@tributary/clickhouse';
import { getProfile } from '@tributary/domain/tenancy/tenants';
import type { Postgres } from '@tributary/postgres';
import type { CauseKind } from '@tributary/vocabulary';
import {
  conversionColumns,
  conversionValues,
  definition,
  isEligible,
  linkColumns,
  minorUnits,
  partnerTouch,
  type ReportingMoney,
  touchColumns,
  touchValues,
} from './ledger-rows.ts';

export interface StagedReplay {
  readonly profileId: string;
  readonly batchId: string;
  readonly replayId: string;
  readonly cause: CauseKind;
}

/**
 * Copies to ClickHouse what attribution needs from the ledger for all conversions of a profile, from one snapshot. Rows are streamed as
 * text, without parsing them on the way. A PostgreSQL statement uses one core, so it only reads; ClickHouse selects the links and assigns
 * the buckets.
 */
export async function stageAll(
  postgres: Postgres,
  clickhouse: ClickHouse,
  { profileId, batchId, replayId, cause }: StagedReplay,
): Promise<void> {
  const { currency } = await postgres.forProfile(profileId).transaction((tx) => getProfile(tx, profileId));
  const sql = statements(
    profileId,
    { currency: `'${assertWord(currency)}'`, units: minorUnits(currency) },
    { cause, replayId },
  );
  const linksId = randomUUID();
  const head = (id: string) => `SELECT '${id}', '${profileId}'`;
  const columns = (more: readonly string[]) => ['batch_id', 'profile_id', ...more];
  await postgres.snapshot(profileId, ({ copy, beside }) =>
    // There are millions of each: two connections overlap reading one table with writing the other.
    beside(async (other) => {
      await Promise.all([
        clickhouse.insertText(
          'attribution_conversions',
          columns([...conversionColumns, 'cause', 'cause_ref']),
          copy(sql.conversions(head(batchId))),
        ),
        (async () => {
          await clickhouse.insertText('attribution_links', columns(linkColumns), other.copy(sql.links(head(linksId))));
          await clickhouse.insertText(
            'attribution_touches',
            columns(touchColumns),
            other.copy(sql.touches(head(batchId))),
          );
        })(),
      ]);
    }),
  );
  await clickhouse.command('attribution_keep_links', { batch_id: batchId, from_batch_id: linksId });
  await dropPartition(clickhouse, 'attribution_links', linksId);
}

/** COPY accepts no parameters; these texts contain only ids and words that this code generates. */
function statements(
  profileId: string,
  money: ReportingMoney,
  { cause, replayId }: Pick<StagedReplay, 'cause' | 'replayId'>,
) {
  const row = (head: string, at: string, eligible: string) =>
    `${head}, ${conversionValues(at, eligible, money).join(', ')}, '${cause}', '${replayId}' FROM outcomes o ${definition}`;
  return {
    conversions: (head: string) => `
      ${row(head, 'o.occurred_at', isEligible)} WHERE o.profile_id = '${profileId}'
      UNION ALL
      ${row(head, 'm.left_time', 'false')}
      JOIN moved_conversions m ON m.profile_id = o.profile_id AND m.outcome_id = o.id AND m.left_time <> o.occurred_at
      WHERE o.profile_id = '${profileId}'`,
    links: (head: string) => `
      ${head}, visitor_id, customer_id FROM visitor_links WHERE profile_id = '${profileId}'
      UNION ALL
      ${head.replace('SELECT', 'SELECT DISTINCT')}, visitor_id, visitor_id FROM outcomes
      WHERE profile_id = '${profileId}' AND customer_id IS NULL AND visitor_id IS NOT NULL`,
    touches: (head: string) =>
      `${head}, ${touchValues.join(', ')} FROM outcomes o WHERE o.profile_id = '${profileId}' AND o.origin IS NOT NULL
      UNION ALL
      ${head}, ${touchValues.join(', ')} FROM (SELECT ${partnerTouch} FROM partner_touches WHERE profile_id = '${profileId}' AND NOT is_second) o`,
  };
}

function assertWord(text: string): string {
  if (!/^[\w.-]{1,60}$/.test(text)) throw new TypeError(`"${text}" is not a word that may stand in a statement.`);
  return text;
}
