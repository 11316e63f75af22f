import { t } from '../messages/index.ts';

interface NamedTouch {
  readonly campaign_external_id: string | null;
  readonly ad_set_external_id: string | null;
  readonly ad_external_id: string | null;
  readonly campaign_name: string | null;
  readonly ad_set_name: string | null;
  readonly ad_name: string | null;
}

/** The ad's path from the campaign down, by names, or by the platform's ids where names are unknown. Empty if no ad is known. */
export function adLine(touch: NamedTouch): string {
  const campaign =
    touch.campaign_name ?? (touch.campaign_external_id && t.touches.campaign(touch.campaign_external_id));
  const adSet = touch.ad_set_name ?? (touch.ad_set_external_id && t.touches.adSet(touch.ad_set_external_id));
  const ad = touch.ad_name ?? (touch.ad_external_id && t.touches.ad(touch.ad_external_id));
  return [campaign, without(adSet, campaign), without(ad, adSet ?? campaign)].filter(Boolean).join(' › ');
}

/** Ad sets are often named after their campaign, and ads after both: the repeated prefix is removed. */
function without(name: string | null, parent: string | null): string | null {
  if (!name || !parent || !name.startsWith(parent)) return name;
  return name.slice(parent.length).replace(/^[\s|·:;,/_–—-]+/, '') || null;
}
