import { idParameters } from './campaign-tags.ts';

/** The macros with which a platform inserts ad ids into links. Other platforms get no tags from us. */
const templates: Readonly<Record<string, Readonly<Record<'campaign_id' | 'adset_id' | 'ad_id', string>>>> = {
  social_ads: { campaign_id: '{{campaign.id}}', adset_id: '{{adset.id}}', ad_id: '{{ad.id}}' },
};

const adParameters = idParameters.filter(({ level }) => level === 'ad').map(({ parameter }) => parameter);

/**
 * For each platform a pattern of URL tags that contain the ad's id in a parameter that visits are parsed for.
 * PostgreSQL uses it, too.
 */
export const adIdTags: readonly { readonly platform: string; readonly pattern: string }[] = Object.entries(
  templates,
).map(([platform, { ad_id }]) => ({
  platform,
  pattern: `(^|[?&])(${adParameters.join('|')})=${ad_id.replace(/[{}.]/g, '\\$&')}(&|$)`,
}));

/** The tags that an ad should have: its own, and the three with its ids. Undefined: the platform is not supported. */
export function tagsFor(platform: string, urlTags: string): string | undefined {
  const template = templates[platform];
  if (!template) return undefined;
  const own = readTags(urlTags).filter(([name]) => !(name in template));
  return [...own, ...Object.entries(template)].map(([name, value]) => `${name}=${value}`).join('&');
}

/** Not decoded, because placeholders are not encoded. */
const readTags = (urlTags: string): [name: string, value: string][] =>
  urlTags
    .replace(/^\?/, '')
    .split('&')
    .filter((tag) => tag !== '')
    .map((tag) => {
      const at = tag.indexOf('=');
      return at < 0 ? [tag, ''] : [tag.slice(0, at), tag.slice(at + 1)];
    });
