import { createHash } from 'node:crypto';
import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { dayMs, limits, minuteMs } from '@tributary/vocabulary';
import { readCreative } from './creative.ts';
import { fetchPicture } from './picture.ts';
import { findAd } from './read-creative-analysis.ts';
import type { CreativeServices } from './services.ts';
import { findPicture, type StoredPicture, savePicture } from './store.ts';

const { freshDays, triedAgainAfterMinutes } = limits.creativePictures;

/** No transaction is open while the picture is fetched. */
export const readCreativePicture: Handles<
  Routes['readCreativePicture'],
  Pick<CreativeServices, 'providerOutbound'>
> = async ({ params }, { caller, ledger, now, signal, setHeader, providerOutbound }) => {
  const { profileId } = caller;
  const { ad, stored } = await ledger.transaction(
    async (tx) => {
      const found = await findAd(tx, profileId, params.id);
      return { ad: found, stored: await findPicture(tx, profileId, found.id) };
    },
    { readOnly: true },
  );
  const url = readCreative(ad.creative)?.thumbnailUrl ?? '';
  const sourceHash = createHash('sha256').update(url).digest();
  let current: Pick<StoredPicture, 'mediaType' | 'content'> | undefined = stored;
  if (url !== '' && isDue(stored, sourceHash, now)) {
    const picture = await fetchPicture(url, providerOutbound, signal);
    const content = picture ? Buffer.from(picture.bytes) : null;
    const attempt = { sourceHash, triedAt: now, mediaType: picture?.mediaType ?? null, content };
    await ledger.transaction((tx) => savePicture(tx, profileId, ad.id, attempt));
    if (picture) current = attempt;
  }
  setHeader('cache-control', `private, max-age=${cachedSeconds}`);
  if (!current?.content || !current.mediaType) return answer(204, undefined);
  setHeader('content-type', current.mediaType);
  // Opened directly it must not run scripts, and other sites must not embed it.
  setHeader('content-security-policy', "default-src 'none'; sandbox");
  setHeader('cross-origin-resource-policy', 'same-origin');
  return answer(200, current.content.toString('base64'));
};

/** How long the browser may cache the picture. */
const cachedSeconds = 3_600;

function isDue(stored: StoredPicture | undefined, sourceHash: Buffer, now: Date): boolean {
  if (!stored) return true;
  const isSame = stored.content !== null && stored.sourceHash.equals(sourceHash);
  return now.getTime() - stored.triedAt.getTime() > (isSame ? freshDays * dayMs : triedAgainAfterMinutes * minuteMs);
}
