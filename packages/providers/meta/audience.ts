import type { AudienceWarmth } from '@tributary/vocabulary';
import { z } from 'zod';
import type { AdAudience } from '../provider.ts';

const TextList = z.array(z.string()).optional();
const Regions = z.array(z.object({ country: z.string().optional() })).optional();

/** The part of an ad set's targeting that says who sees it and where. */
export const Targeting = z.object({
  geo_locations: z.object({ countries: TextList, regions: Regions, cities: Regions }).optional(),
  custom_audiences: z.array(z.object({ name: z.string().optional() })).optional(),
  publisher_platforms: TextList,
  facebook_positions: TextList,
  instagram_positions: TextList,
  messenger_positions: TextList,
  audience_network_positions: TextList,
});
type Targeting = z.infer<typeof Targeting>;

export function parseAudience(targeting: Targeting): AdAudience {
  const geo = countryOf(targeting);
  return { warmth: warmthOf(targeting), ...(geo !== undefined && { geo }), placement: placementOf(targeting) };
}

/**
 * Custom audiences are warm, because they consist of people who know the shop, unless all are lookalike audiences, which Meta
 * names so.
 */
function warmthOf({ custom_audiences: lists = [] }: Targeting): AudienceWarmth {
  if (lists.length === 0) return 'cold';
  return lists.every(({ name }) => /^lookalike\b/i.test(name ?? '')) ? 'lookalike' : 'warm';
}

const several = 'several';

function countryOf({ geo_locations: geo }: Targeting): string | undefined {
  const within = [...(geo?.regions ?? []), ...(geo?.cities ?? [])].flatMap(({ country }) => country ?? []);
  return getSingle([...(geo?.countries ?? []), ...within]);
}

/** Without a choice Meta chooses the placements. */
function placementOf(targeting: Targeting): string {
  const platform = getSingle(targeting.publisher_platforms ?? []);
  if (platform === undefined) return 'automatic';
  const positions: Readonly<Record<string, readonly string[] | undefined>> = {
    facebook: targeting.facebook_positions,
    instagram: targeting.instagram_positions,
    messenger: targeting.messenger_positions,
    audience_network: targeting.audience_network_positions,
  };
  const position = getSingle(positions[platform] ?? []);
  return position === undefined || position === several ? platform : `${platform}_${position}`;
}

/** The single distinct value; undefined if there is none, `several` if they differ. */
function getSingle(values: readonly string[]): string | undefined {
  const distinct = new Set(values);
  return distinct.size > 1 ? several : values[0];
}
