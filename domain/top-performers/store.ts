import type { Postgres, Tx } from '@tributary/postgres';
import { sql } from 'kysely';

export interface KnownAd {
  readonly id: string;
  readonly platform: string;
  readonly externalId: string;
  readonly name: string;
  readonly format: string;
  /** Its own, or that of what it stands under. */
  readonly objective: string;
  readonly creative: unknown;
  readonly adSetName: string | null;
  readonly campaignName: string | null;
}

/** Ads with what they stand under. An ad whose ad set nobody named stands under its campaign. */
export async function findAds(tx: Tx, profileId: string, ids: readonly string[]): Promise<Map<string, KnownAd>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<KnownAd>`
    SELECT a.id, a.platform, a.external_id AS "externalId", a.name, a.format, a.creative,
      coalesce(nullif(a.objective, ''), nullif(p.objective, ''), nullif(g.objective, ''), '') AS objective,
      CASE WHEN p.level = 'ad_set' THEN nullif(p.name, '') END AS "adSetName",
      nullif(CASE WHEN p.level = 'campaign' THEN p.name ELSE g.name END, '') AS "campaignName"
    FROM ad_entities a
    LEFT JOIN ad_entities p ON p.profile_id = a.profile_id AND p.id = a.parent_id
    LEFT JOIN ad_entities g ON g.profile_id = p.profile_id AND g.id = p.parent_id
    WHERE a.profile_id = ${profileId} AND a.id = ANY (${ids}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface ScoredProfile {
  readonly timeZone: string;
  readonly currency: string;
}

export async function findProfile(tx: Tx, profileId: string): Promise<ScoredProfile | undefined> {
  const { rows } = await sql<ScoredProfile>`
    SELECT time_zone AS "timeZone", reporting_currency AS currency FROM profiles WHERE id = ${profileId}`.execute(tx);
  return rows[0];
}

export interface RateDay {
  readonly currency: string;
  readonly day: string;
}

/** What one unit of the currency was worth on the day; a day without a rate has the last one before it. */
export async function findDayRates(
  tx: Tx,
  wanted: readonly RateDay[],
  to: string,
): Promise<(RateDay & { readonly rate: string })[]> {
  if (wanted.length === 0) return [];
  const { rows } = await sql<RateDay & { rate: string }>`
    SELECT w.currency, w.day::text AS day, round(t.per_usd / f.per_usd, 20)::text AS rate
    FROM unnest(${wanted.map(({ currency }) => currency)}::text[], ${wanted.map(({ day }) => day)}::date[]) AS w (currency, day)
    CROSS JOIN LATERAL (
      SELECT per_usd FROM exchange_rates r WHERE r.currency = w.currency AND r.day <= w.day ORDER BY day DESC LIMIT 1) f
    CROSS JOIN LATERAL (
      SELECT per_usd FROM exchange_rates r WHERE r.currency = ${to} AND r.day <= w.day ORDER BY day DESC LIMIT 1) t`.execute(
    tx,
  );
  return rows;
}

// ── Whose turn it is ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Every profile that something of ads was ever copied for has its turn. */
export async function listProfiles(system: Postgres): Promise<void> {
  await system.unbound.query(sql`
    INSERT INTO score_rebuilds (profile_id) SELECT profile_id FROM delivery_copies ON CONFLICT DO NOTHING`);
}

/** A profile that was last rebuilt before a moment, the one that waited longest first; nobody else gets it until `until`. */
export async function claimProfile(
  system: Postgres,
  before: Date,
  now: Date,
  until: Date,
): Promise<string | undefined> {
  const { rows } = await system.unbound.query(sql<{ profile_id: string }>`
    UPDATE score_rebuilds SET taken_until = ${until} WHERE profile_id = (
      SELECT profile_id FROM score_rebuilds WHERE rebuilt_at < ${before} AND taken_until <= ${now}
      ORDER BY rebuilt_at, profile_id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING profile_id`);
  return rows[0]?.profile_id;
}

export async function markRebuilt(app: Postgres, profileId: string, at: Date): Promise<void> {
  await app.forProfile(profileId).transaction((tx) =>
    sql`
      INSERT INTO score_rebuilds (profile_id, rebuilt_at) VALUES (${profileId}, ${at})
      ON CONFLICT (profile_id) DO UPDATE SET rebuilt_at = greatest(score_rebuilds.rebuilt_at, excluded.rebuilt_at)`.execute(
      tx,
    ),
  );
}
