import { createHash } from 'node:crypto';
import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { dayMs, limits, minuteMs } from '@tributary/vocabulary';
import { readCreative } from './creative.ts';
import { fetchPicture } from './picture.ts';
import { findAd } from './read-creative-analysis.ts';
import type { CreativeServices } from './services.ts';
import { findPicture, type KeptPicture, keepPicture } from './store.ts';

const { freshDays, triedAgainAfterMinutes } = limits.creativePictures;

/** No transaction is open while the platform is asked. */
export const readCreativePicture: Handles<
  Routes['readCreativePicture'],
  Pick<CreativeServices, 'providerOutbound'>
> = async ({ params }, { caller, ledger, now, signal, setHeader, providerOutbound }) => {
  const { profileId } = caller;
  const { ad, kept } = await ledger.transaction(
    async (tx) => {
      const found = await findAd(tx, profileId, params.id);
      return { ad: found, kept: await findPicture(tx, profileId, found.id) };
    },
    { readOnly: true },
  );
  const url = readCreative(ad.creative)?.thumbnailUrl ?? '';
  const sourceHash = createHash('sha256').update(url).digest();
  let shown: Pick<KeptPicture, 'mediaType' | 'content'> | undefined = kept;
  if (url !== '' && isDue(kept, sourceHash, now)) {
    const picture = await fetchPicture(url, providerOutbound, signal);
    const content = picture ? Buffer.from(picture.bytes) : null;
    const tried = { sourceHash, triedAt: now, mediaType: picture?.mediaType ?? null, content };
    await ledger.transaction((tx) => keepPicture(tx, profileId, ad.id, tried));
    if (picture) shown = tried;
  }
  setHeader('cache-control', `private, max-age=${cachedSeconds}`);
  if (!shown?.content || !shown.mediaType) return answer(204, undefined);
  setHeader('content-type', shown.mediaType);
  // Opened by itself it is a picture and nothing more, and no other site shows it.
  setHeader('content-security-policy', "default-src 'none'; sandbox");
  setHeader('cross-origin-resource-policy', 'same-origin');
  return answer(200, shown.content.toString('base64'));
};

/** In the browser that asked. */
const cachedSeconds = 3_600;

function isDue(kept: KeptPicture | undefined, sourceHash: Buffer, now: Date): boolean {
  if (!kept) return true;
  const isSame = kept.content !== null && kept.sourceHash.equals(sourceHash);
  return now.getTime() - kept.triedAt.getTime() > (isSame ? freshDays * dayMs : triedAgainAfterMinutes * minuteMs);
}
