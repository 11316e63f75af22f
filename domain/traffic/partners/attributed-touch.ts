import type { Row } from '@tributary/clickhouse';
import type { AttributedTouch, Origin } from '@tributary/rules';
import { clickIdKinds, nilUuid } from '@tributary/vocabulary';

/** Converts a touch from PostgreSQL to the form of packages/rules. */
export function ledgerTouch(touchId: string, at: Date, origin: Origin): AttributedTouch {
  const clickKind = origin.click_id_kind && clickIdKinds[origin.click_id_kind].parameter;
  return {
    touchId,
    at: at.getTime(),
    sessionId: null,
    channel: origin.channel,
    source: origin.source,
    medium: origin.medium,
    platform: origin.platform,
    campaignId: null,
    adSetId: null,
    adId: nilToNull(origin.ad_id),
    ...(clickKind && { clickKind }),
    ...(origin.click_mark && { clickMark: origin.click_mark }),
    isSynthetic: true,
  };
}

export const visitTouch = (row: Row<'touch_list_of_visitors'>): AttributedTouch => ({
  touchId: row.touch_id,
  at: Number(row.at),
  sessionId: nilToNull(row.session_id),
  channel: row.channel,
  source: row.source,
  medium: row.medium,
  platform: row.platform,
  campaignId: nilToNull(row.campaign_id),
  adSetId: nilToNull(row.ad_set_id),
  adId: nilToNull(row.ad_id),
  ...(row.click_id_kind !== '' && { clickKind: row.click_id_kind }),
  ...(row.click_mark !== '0' && { clickMark: row.click_mark }),
});

const nilToNull = (id: string): string | null => (id === nilUuid ? null : id);
