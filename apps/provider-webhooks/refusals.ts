import { Refusal } from '@tributary/operations/refusals.ts';
import { limits } from '@tributary/vocabulary';

/** What provider-webhooks answers instead of 204. Providers send all of these again but the 404. */

const mebibytes = limits.providerWebhooks.bytes / 1_048_576;

export const unknownProvider = (): Refusal =>
  new Refusal('not_found', 'No provider of this deployment sends webhooks to this address.');

export const wrongSignature = (): Refusal =>
  new Refusal('unauthorized', 'The signature is not the one of a connected account.');

export const tooLarge = (): Refusal => new Refusal('payload_too_large', `A webhook may have ${mebibytes} MiB.`);

/** `internal` is for the log. */
export const notNow = (internal: string): Refusal =>
  new Refusal('service_unavailable', 'Webhooks cannot be stored right now. Send it again later.', {
    internal,
    headers: { 'retry-after': String(limits.providerWebhooks.retryAfterSeconds) },
  });
