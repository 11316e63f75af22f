import { type ClickHouse, raw } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { LaterRefund } from './ledger-rows.ts';

/**
 * A fill writes months within seconds, so its results would all date from the fill, and no as-of report of the past would be right. These statements
 * give each result the time at which the product would have written it.
 */
interface Engines {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
}

interface DatedConversion {
  readonly id: string;
  readonly at: number;
}

/** The delay between an event and its attribution on a running system. */
const attributedAfterSeconds = 5;
/** A query parameter holds at most 128 KiB. */
const idsOfStatement = 1_000;

/** Dates results that a replay added since a moment at the time their payment was recorded. `late`: those that were recorded days after. */
export async function dateNewResults(
  { app, clickhouse }: Engines,
  profileId: string,
  { since, late }: { readonly since: Date; readonly late: readonly DatedConversion[] },
): Promise<void> {
  const dated = (chosen: string, appliedAt: string) => `
    INSERT INTO attributed_conversions
    SELECT * REPLACE ({version:UInt64} AS version, 'outcome_recorded' AS cause, toUUID('${nilUuid}') AS cause_ref, ${appliedAt} AS applied_at)
    FROM (
      -- A condition beside REPLACE would read the new value of a column.
      SELECT * FROM attributed_conversions FINAL
      WHERE profile_id = {profile_id:UUID} AND cause = 'replay' AND applied_at >= {since:DateTime64(3, 'UTC')} AND ${chosen}
        AND conversion_id NOT IN (
          SELECT conversion_id FROM attribution_history WHERE profile_id = {profile_id:UUID} AND replaced_at >= {since:DateTime64(3, 'UTC')}))`;
  for (const part of chunksOf(late))
    await clickhouse.command(raw(dated('has({ids:Array(UUID)}, conversion_id)', momentOfId)), {
      profile_id: profileId,
      version: await nextVersion(app),
      since,
      ...parametersOf(part),
    });
  await clickhouse.command(
    raw(
      dated('true', `least(conversion_time + INTERVAL ${attributedAfterSeconds} SECOND, {since:DateTime64(3, 'UTC')})`),
    ),
    { profile_id: profileId, version: await nextVersion(app), since },
  );
}

/** Dates results that a replay replaced because of refunds at the time of the refund. */
export async function dateRefunds(
  { app, clickhouse }: Engines,
  profileId: string,
  { since, refunds }: { readonly since: Date; readonly refunds: readonly DatedConversion[] },
): Promise<void> {
  for (const part of chunksOf(refunds)) {
    const parameters = { profile_id: profileId, version: await nextVersion(app), since, ...parametersOf(part) };
    const chosen = `profile_id = {profile_id:UUID} AND has({ids:Array(UUID)}, conversion_id)`;
    await clickhouse.command(
      raw(`
        INSERT INTO attribution_history
        SELECT * REPLACE (toUUID('${nilUuid}') AS replaced_ref, {version:UInt64} AS replaced_by, 'refund' AS replaced_cause,
          greatest(${momentOfId}, applied_at) AS replaced_at)
        FROM (SELECT * FROM attribution_history FINAL WHERE ${chosen} AND replaced_at >= {since:DateTime64(3, 'UTC')})`),
      parameters,
    );
    await clickhouse.command(
      raw(`
        INSERT INTO attributed_conversions
        SELECT * REPLACE ({version:UInt64} AS version, 'refund' AS cause, toUUID('${nilUuid}') AS cause_ref, ${momentOfId} AS applied_at)
        FROM (
          SELECT * FROM attributed_conversions FINAL
          WHERE ${chosen} AND cause = 'replay' AND applied_at >= {since:DateTime64(3, 'UTC')})`),
      parameters,
    );
  }
}

/** Applies refunds to payments that have none yet, and resolves to those it applied. */
export async function applyRefunds(
  { app }: Engines,
  profileId: string,
  refunds: readonly LaterRefund[],
): Promise<DatedConversion[]> {
  const { rows } = await app.forProfile(profileId).transaction((tx) =>
    sql<{ id: string; at: Date }>`
      UPDATE outcomes SET refunded = r.refunded, reporting_amount = coalesce(r.reporting_amount, outcomes.reporting_amount), updated_at = r.at
      FROM unnest(${refunds.map(({ paymentId }) => paymentId)}::uuid[], ${refunds.map(({ at }) => new Date(at).toISOString())}::timestamptz[],
        ${refunds.map(({ refunded }) => refunded)}::numeric[], ${refunds.map(({ reportingAmount }) => reportingAmount)}::numeric[])
        AS r (id, at, refunded, reporting_amount)
      WHERE outcomes.profile_id = ${profileId} AND outcomes.id = r.id AND outcomes.refunded = 0
      RETURNING outcomes.id, r.at`.execute(tx),
  );
  return rows.map(({ id, at }) => ({ id, at: +at }));
}

export const dateRates = ({ system }: Pick<Engines, 'system'>): Promise<unknown> =>
  system.unbound.query(
    sql`UPDATE exchange_rates SET known_at = day AT TIME ZONE 'UTC' WHERE source = 'market' AND known_at > day AT TIME ZONE 'UTC'`,
  );

const momentOfId = `toDateTime64({times:Array(String)}[indexOf({ids:Array(UUID)}, conversion_id)], 3, 'UTC')`;

const parametersOf = (dated: readonly DatedConversion[]) => ({
  ids: dated.map(({ id }) => id),
  times: dated.map(({ at }) => new Date(at).toISOString().replace('T', ' ').replace('Z', '')),
});

async function nextVersion({ home }: Postgres): Promise<string> {
  const { rows } = await home.unbound.query(sql<{ version: string }>`SELECT nextval('dirty_revision') AS version`);
  return rows[0]?.version ?? '0';
}

function* chunksOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += idsOfStatement) yield all.slice(from, from + idsOfStatement);
}
