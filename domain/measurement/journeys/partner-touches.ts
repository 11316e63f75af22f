import type { Row } from '@tributary/clickhouse';
import type { PartnerTouch } from '@tributary/domain/traffic/partners';
import { nilUuid } from '@tributary/vocabulary';

/** Converts touches reported by partners to the row format of browser touches. */

const joinMethods = { ad_referral: 'ad_referral', declared_source: 'declared' } as const;

const common = ({ id, kind, occurredAt, origin }: PartnerTouch) => ({
  touch_id: id,
  occurred_at: occurredAt.toISOString(),
  kind,
  channel: origin.channel,
  campaign_id: nilUuid,
  ad_set_id: nilUuid,
  ad_id: origin.ad_id,
  click_id_kind: origin.click_id_kind ?? '',
  join_method: joinMethods[kind],
});

export const asVisitless = (touch: PartnerTouch): Row<'journey_list_visitless_touches'> => ({
  ...common(touch),
  visitor_id: nilUuid,
  session_id: nilUuid,
  source: touch.origin.source,
  medium: touch.origin.medium,
  platform: touch.origin.platform,
  country: '',
  device: '',
});

export const asTouch = (touch: PartnerTouch): Row<'journey_list_touches'> => ({
  ...common(touch),
  campaign_external_id: '',
  ad_set_external_id: '',
  ad_external_id: touch.adExternalId ?? '',
});
