import { Refusal } from '@tributary/operations/refusals.ts';
import type { QuotaReason } from './daily-use.ts';

/** What the collector says when it sends a request away. */

export const away = (internal: string): Refusal =>
  new Refusal('service_unavailable', 'Visits cannot be kept right now. Send them again in a moment.', {
    internal,
    headers: { 'retry-after': '2' },
  });

export const tooLarge = (): Refusal =>
  new Refusal('payload_too_large', 'A request must be at most 64 KiB and 50 visits. Send fewer visits at once.');

const words: Readonly<Record<QuotaReason, string>> = {
  daily_quota: 'The profile has sent as much today as it may.',
  address_quota: 'This address has sent as much of the profile today as one address may.',
};

export const overQuota = (reason: QuotaReason, retryAfterSeconds: number): Refusal =>
  new Refusal('rate_limit_exceeded', words[reason], {
    fields: { reason },
    headers: { 'retry-after': String(retryAfterSeconds) },
  });

/** Final: no repetition would make them understood, and behind them in a browser's queue others wait. */
export const onlyBroken = (): Refusal =>
  new Refusal('invalid_request', 'None of these visits can be understood, and no more of them are kept today.', {
    fields: { reason: 'broken_quota' },
  });

export const withoutConsent = (): Refusal =>
  new Refusal('forbidden', 'This profile takes visits of people who said yes, and the request does not say so.', {
    fields: { reason: 'consent' },
  });
