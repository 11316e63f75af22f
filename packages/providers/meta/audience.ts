import type { AudienceWarmth } from '@tributary/vocabulary';
import { z } from 'zod';
import type { SaidAudience } from '../provider.ts';

const Words = z.array(z.string()).optional();
const Places = z.array(z.object({ country: z.string().optional() })).optional();

/** What of an ad set's targeting says whom it is shown to, and where. The rest of it is not read. */
export const Targeting = z.object({
  geo_locations: z.object({ countries: Words, regions: Places, cities: Places }).optional(),
  custom_audiences: z.array(z.object({ name: z.string().optional() })).optional(),
  publisher_platforms: Words,
  facebook_positions: Words,
  instagram_positions: Words,
  messenger_positions: Words,
  audience_network_positions: Words,
});
type Targeting = z.infer<typeof Targeting>;

export function sayAudience(targeting: Targeting): SaidAudience {
  const geo = countryOf(targeting);
  return { warmth: warmthOf(targeting), ...(geo !== undefined && { geo }), placement: placementOf(targeting) };
}

/** Lists of people are of those who know the shop, unless they are of people who are like them: Meta calls those so. */
function warmthOf({ custom_audiences: lists = [] }: Targeting): AudienceWarmth {
  if (lists.length === 0) return 'cold';
  return lists.every(({ name }) => /^lookalike\b/i.test(name ?? '')) ? 'lookalike' : 'warm';
}

const several = 'several';

function countryOf({ geo_locations: geo }: Targeting): string | undefined {
  const within = [...(geo?.regions ?? []), ...(geo?.cities ?? [])].flatMap(({ country }) => country ?? []);
  return oneOf([...(geo?.countries ?? []), ...within]);
}

/** Where nothing is chosen Meta chooses. */
function placementOf(targeting: Targeting): string {
  const platform = oneOf(targeting.publisher_platforms ?? []);
  if (platform === undefined) return 'automatic';
  const positions: Readonly<Record<string, readonly string[] | undefined>> = {
    facebook: targeting.facebook_positions,
    instagram: targeting.instagram_positions,
    messenger: targeting.messenger_positions,
    audience_network: targeting.audience_network_positions,
  };
  const position = oneOf(positions[platform] ?? []);
  return position === undefined || position === several ? platform : `${platform}_${position}`;
}

/** The one that all say; none, or several. */
function oneOf(words: readonly string[]): string | undefined {
  const distinct = new Set(words);
  return distinct.size > 1 ? several : words[0];
}
