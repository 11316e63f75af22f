import { namesOf } from './names-of.ts';

/** The state of a webhook subscription. */
export const webhookStatuses = ['active', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** Why a subscription is disabled. */
export const webhookDisabledReasons = {
  by_hand: 'Somebody disabled it.',
  gone: 'The receiver answered 410.',
  failing: 'No delivery went through for days.',
} as const satisfies Record<string, string>;
export type WebhookDisabledReason = keyof typeof webhookDisabledReasons;
export const webhookDisabledReasonNames = namesOf(webhookDisabledReasons);

/** The state of a delivery. */
export const deliveryStatuses = {
  waiting: 'It will be tried, or tried again.',
  delivered: 'The receiver answered 2xx.',
  failed: 'It was given up.',
  withheld: 'The grant or the privacy of the profile did not allow it to leave.',
  set_aside: 'It could not be made, which is a fault of ours; the operator has it tried again.',
} as const satisfies Record<string, string>;
export type DeliveryStatus = keyof typeof deliveryStatuses;
export const deliveryStatusNames = namesOf(deliveryStatuses);
