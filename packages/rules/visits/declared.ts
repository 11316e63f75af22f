import { type DeclaredSourceAnswer, type MarketingChannel, nilUuid } from '@tributary/vocabulary';
import type { Origin } from './origin.ts';

/** The `medium` of a touch declared by the customer. */
export const declaredMedium = 'declared';

/** The channel of each answer. Customers cannot tell whether an ad was paid for. */
const channels: Readonly<Record<DeclaredSourceAnswer, MarketingChannel>> = {
  instagram: 'organic_social',
  facebook: 'organic_social',
  tiktok: 'organic_social',
  linkedin: 'organic_social',
  google: 'organic_search',
  youtube: 'organic_video',
  whatsapp: 'messaging',
  email: 'email',
  friend_referral: 'referral',
  press: 'referral',
  ai_assistant: 'ai_assistant',
  walk_in: 'unknown',
  event: 'unknown',
  tv_radio: 'unknown',
  other: 'unknown',
};

/**
 * The origin of a declared source. The answer has the same name as the source of corresponding visits, if there can
 * be any.
 */
export const declaredOrigin = (answer: DeclaredSourceAnswer): Origin => ({
  channel: channels[answer],
  source: answer,
  medium: declaredMedium,
  platform: '',
  ad_id: nilUuid,
  click_id_kind: null,
  click_mark: null,
});
