import { findAds, type StoredAd } from '@tributary/domain/advertising/campaigns';
import { findFindings } from '@tributary/domain/advertising/creatives';
import type { Tx } from '@tributary/postgres';

/** Ads from the ledger, with findings of the creative analysis overriding the platform's values. */
export async function findAnalysedAds(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, StoredAd>> {
  const ads = await findAds(tx, profileId, ids);
  const findings = await findFindings(tx, profileId, ids);
  for (const [id, { creative_format: format, ...found }] of findings) {
    const ad = ads.get(id);
    if (ad) ads.set(id, { ...ad, creative: { ...(ad.creative as object), ...found, format } });
  }
  return ads;
}
