import type { Tx } from '@tributary/postgres';
import { adIdTags } from '@tributary/rules';
import { sql } from 'kysely';
import type { StoredAd } from './find-entities.ts';

export interface TaggableAd
  extends Pick<StoredAd, 'id' | 'platform' | 'externalId' | 'name' | 'adSetName' | 'campaignName'> {
  readonly status: string;
  readonly urlTags: string | null;
}

/** Lists ads whose links could contain the ad id but do not, as of the last sync; limited to `only` if given. */
export async function listTaggableAds(
  tx: Tx,
  profileId: string,
  { after, limit, only }: { readonly after: string; readonly limit: number; readonly only?: readonly string[] },
): Promise<TaggableAd[]> {
  const [platforms, patterns] = [adIdTags.map(({ platform }) => platform), adIdTags.map(({ pattern }) => pattern)];
  const { rows } = await sql<TaggableAd>`
    SELECT a.id, a.platform, a.external_id AS "externalId", a.name, a.status, a.creative ->> 'url_tags' AS "urlTags",
      CASE WHEN p.level = 'ad_set' THEN nullif(p.name, '') END AS "adSetName",
      nullif(CASE WHEN p.level = 'campaign' THEN p.name ELSE g.name END, '') AS "campaignName"
    FROM ad_entities a
    JOIN unnest(${platforms}::text[], ${patterns}::text[]) AS tagged (platform, pattern) ON tagged.platform = a.platform
    LEFT JOIN ad_entities p ON p.profile_id = a.profile_id AND p.id = a.parent_id
    LEFT JOIN ad_entities g ON g.profile_id = p.profile_id AND g.id = p.parent_id
    WHERE a.profile_id = ${profileId} AND a.level = 'ad' AND a.id > ${after} AND a.status NOT IN ('ARCHIVED', 'DELETED')
      AND coalesce(a.creative ->> 'url_tags', '') !~ tagged.pattern
      AND (${only ?? null}::text[] IS NULL OR a.external_id = ANY (${only ?? null}::text[]))
    ORDER BY a.id LIMIT ${limit}`.execute(tx);
  return rows;
}
