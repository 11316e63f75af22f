import { idParameters } from './campaign-tags.ts';

/** What a platform fills in for the ids of an ad in the tags of its links. A platform that is not here takes no tags from us. */
const templates: Readonly<Record<string, Readonly<Record<'campaign_id' | 'adset_id' | 'ad_id', string>>>> = {
  social_ads: { campaign_id: '{{campaign.id}}', adset_id: '{{adset.id}}', ad_id: '{{ad.id}}' },
};

const adParameters = idParameters.filter(({ level }) => level === 'ad').map(({ parameter }) => parameter);

/** For each platform a pattern of tags that say which ad was clicked, in a parameter that visits are read for. PostgreSQL reads it too. */
export const adIdTags: readonly { readonly platform: string; readonly pattern: string }[] = Object.entries(
  templates,
).map(([platform, { ad_id }]) => ({
  platform,
  pattern: `(^|[?&])(${adParameters.join('|')})=${ad_id.replace(/[{}.]/g, '\\$&')}(&|$)`,
}));

/** The tags that an ad should have: its own, and the three that tell its ids. Undefined: the platform takes none from us. */
export function tagsFor(platform: string, urlTags: string): string | undefined {
  const template = templates[platform];
  if (!template) return undefined;
  const own = readTags(urlTags).filter(([name]) => !(name in template));
  return [...own, ...Object.entries(template)].map(([name, value]) => `${name}=${value}`).join('&');
}

/** As they stand: placeholders are not encoded. */
const readTags = (urlTags: string): [name: string, value: string][] =>
  urlTags
    .replace(/^\?/, '')
    .split('&')
    .filter((tag) => tag !== '')
    .map((tag) => {
      const at = tag.indexOf('=');
      return at < 0 ? [tag, ''] : [tag.slice(0, at), tag.slice(at + 1)];
    });
