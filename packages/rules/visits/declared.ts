import { type DeclaredSourceAnswer, type MarketingChannel, nilUuid } from '@tributary/vocabulary';
import type { Origin } from './origin.ts';

/** What `medium` says of a touch that the customer themselves told of. */
export const declaredMedium = 'declared';

/** Which channel an answer speaks of. Whether an ad was paid for, nobody who is asked can tell. */
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

/** What brought somebody, as they say. An answer is named like the source of the visits that it speaks of, where there can be visits. */
export const declaredOrigin = (answer: DeclaredSourceAnswer): Origin => ({
  channel: channels[answer],
  source: answer,
  medium: declaredMedium,
  platform: '',
  ad_id: nilUuid,
  click_id_kind: null,
  click_mark: null,
});
