import { CreativeFindings } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import type { AnalysisFault, AnalysisStatus } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface Analysis {
  readonly id: string;
  readonly status: AnalysisStatus;
  readonly fingerprint: Buffer;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
  readonly reason: AnalysisFault | null;
  readonly model: string | null;
  readonly found: unknown;
}

const columns = sql`id, status, fingerprint, requested_at AS "requestedAt", finished_at AS "finishedAt", reason, model, found`;

export async function findAnalysis(tx: Tx, profileId: string, adId: string): Promise<Analysis | undefined> {
  const { rows } = await sql<Analysis>`
    SELECT ${columns} FROM creative_analyses WHERE profile_id = ${profileId} AND ad_id = ${adId}`.execute(tx);
  return rows[0];
}

/** Starts an analysis. Previous findings stay until new ones replace them. */
export async function beginAnalysis(
  tx: Tx,
  profileId: string,
  adId: string,
  request: Pick<Analysis, 'id' | 'fingerprint' | 'requestedAt'>,
): Promise<Analysis> {
  const { id, fingerprint, requestedAt } = request;
  const { rows } = await sql<Analysis>`
    INSERT INTO creative_analyses (profile_id, ad_id, id, status, fingerprint, requested_at)
    VALUES (${profileId}, ${adId}, ${id}, 'waiting', ${fingerprint}, ${requestedAt})
    ON CONFLICT (profile_id, ad_id) DO UPDATE SET id = excluded.id, status = 'waiting', fingerprint = excluded.fingerprint,
      requested_at = excluded.requested_at, finished_at = NULL, reason = NULL
    RETURNING ${columns}`.execute(tx);
  return rows[0] as Analysis;
}

type AnalysisResult =
  | { readonly status: 'done'; readonly model: string; readonly found: CreativeFindings }
  | { readonly status: 'failed'; readonly reason: AnalysisFault };

/** Stores the result, unless a newer analysis was requested meanwhile. */
export async function endAnalysis(
  tx: Tx,
  { profileId, adId, analysisId }: { profileId: string; adId: string; analysisId: string },
  result: AnalysisResult,
  now: Date,
): Promise<void> {
  const fields =
    result.status === 'done'
      ? sql`model = ${result.model}, found = ${JSON.stringify(result.found)}::jsonb`
      : sql`reason = ${result.reason}`;
  await sql`
    UPDATE creative_analyses SET status = ${result.status}, finished_at = ${now}, ${fields}
    WHERE profile_id = ${profileId} AND ad_id = ${adId} AND id = ${analysisId} AND status = 'waiting'`.execute(tx);
}

export interface StoredPicture {
  readonly sourceHash: Buffer;
  readonly triedAt: Date;
  readonly mediaType: string | null;
  readonly content: Buffer | null;
}

export async function findPicture(tx: Tx, profileId: string, adId: string): Promise<StoredPicture | undefined> {
  const { rows } = await sql<StoredPicture>`
    SELECT source_hash AS "sourceHash", tried_at AS "triedAt", media_type AS "mediaType", content
    FROM creative_pictures WHERE profile_id = ${profileId} AND ad_id = ${adId}`.execute(tx);
  return rows[0];
}

/**
 * Stores a fetched picture. A failed fetch keeps the previous one, because platforms' addresses expire before ads end.
 */
export async function savePicture(tx: Tx, profileId: string, adId: string, attempt: StoredPicture): Promise<void> {
  const { sourceHash, triedAt, mediaType, content } = attempt;
  await sql`
    INSERT INTO creative_pictures AS stored (profile_id, ad_id, source_hash, tried_at, media_type, content)
    VALUES (${profileId}, ${adId}, ${sourceHash}, ${triedAt}, ${mediaType}, ${content})
    ON CONFLICT (profile_id, ad_id) DO UPDATE SET source_hash = excluded.source_hash, tried_at = excluded.tried_at,
      media_type = coalesce(excluded.media_type, stored.media_type), content = coalesce(excluded.content, stored.content)`.execute(
    tx,
  );
}

/** Reads the findings of these ads' creatives. */
export async function findFindings(
  tx: Tx,
  profileId: string,
  adIds: readonly string[],
): Promise<Map<string, CreativeFindings>> {
  if (adIds.length === 0) return new Map();
  const { rows } = await sql<{ adId: string; found: unknown }>`
    SELECT ad_id AS "adId", found FROM creative_analyses
    WHERE profile_id = ${profileId} AND ad_id = ANY (${adIds}::uuid[]) AND found IS NOT NULL`.execute(tx);
  return new Map(rows.map(({ adId, found }) => [adId, CreativeFindings.parse(found)]));
}
