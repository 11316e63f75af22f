import { Refusal } from '@tributary/operations/refusals.ts';
import type { QuotaReason } from './daily-use.ts';

/** The error responses of the collector. */

export const away = (internal: string): Refusal =>
  new Refusal('service_unavailable', 'Visits cannot be kept right now. Send them again in a moment.', {
    internal,
    headers: { 'retry-after': '2' },
  });

export const tooLarge = (): Refusal =>
  new Refusal('payload_too_large', 'A request must be at most 64 KiB and 50 visits. Send fewer visits at once.');

const messages: Readonly<Record<QuotaReason, string>> = {
  daily_quota: 'The profile has sent as much today as it may.',
  address_quota: 'This address has sent as much of the profile today as one address may.',
};

export const overQuota = (reason: QuotaReason, retryAfterSeconds: number): Refusal =>
  new Refusal('rate_limit_exceeded', messages[reason], {
    fields: { reason },
    headers: { 'retry-after': String(retryAfterSeconds) },
  });

/** Final: a retry would not help, and other visits wait behind these in the browser's queue. */
export const onlyBroken = (): Refusal =>
  new Refusal('invalid_request', 'None of these visits can be understood, and no more of them are kept today.', {
    fields: { reason: 'broken_quota' },
  });

export const withoutConsent = (): Refusal =>
  new Refusal('forbidden', 'This profile takes visits of people who said yes, and the request does not say so.', {
    fields: { reason: 'consent' },
  });
