interface NamedTouch {
  readonly campaign_external_id: string | null;
  readonly ad_set_external_id: string | null;
  readonly ad_external_id: string | null;
  readonly campaign_name: string | null;
  readonly ad_set_name: string | null;
  readonly ad_name: string | null;
}

/** Which ad it was, from the campaign down: by name, or by the platform's id where nobody told a name. Empty: no ad is known. */
export const adLine = (touch: NamedTouch): string =>
  [
    touch.campaign_name ?? (touch.campaign_external_id && `Campaign ${touch.campaign_external_id}`),
    touch.ad_set_name ?? (touch.ad_set_external_id && `Ad set ${touch.ad_set_external_id}`),
    touch.ad_name ?? (touch.ad_external_id && `Ad ${touch.ad_external_id}`),
  ]
    .filter(Boolean)
    .join(' › ');
