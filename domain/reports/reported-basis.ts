import { adPlatforms, isAdPlatform } from '@tributary/vocabulary';

/** What a platform's own count means. Spend may also be told of a platform that nobody has told us more of. */
export function reportedBasis(platform: string): string {
  const facts: { readonly reportedBasis?: string } = isAdPlatform(platform) ? adPlatforms[platform] : {};
  return facts.reportedBasis ?? 'As the platform counts';
}
