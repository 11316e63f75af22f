import { Refusal } from '@tributary/operations/refusals.ts';
import { limits } from '@tributary/vocabulary';

/** Error responses of provider-webhooks. Providers retry after all of them. */

const mebibytes = limits.providerWebhooks.bytes / 1_048_576;

export const unknownProvider = (): Refusal =>
  new Refusal('not_found', 'No configured provider sends webhooks to this URL.');

export const wrongSignature = (): Refusal =>
  new Refusal('unauthorized', 'The signature does not match a connected account.');

export const tooLarge = (): Refusal => new Refusal('payload_too_large', `A webhook must be at most ${mebibytes} MiB.`);

/** `internal` goes to the log only. */
export const unavailable = (internal: string): Refusal =>
  new Refusal('service_unavailable', 'Webhooks cannot be stored right now. Retry later.', {
    internal,
    headers: { 'retry-after': String(limits.providerWebhooks.retryAfterSeconds) },
  });
