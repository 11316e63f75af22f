/** Entry point for the process provider-webhooks: verifying and encrypting a webhook before it is stored in the stream. */

export { sealWebhook } from './provider-webhooks/message.ts';
export { findWebhookSecrets, isSignedByAny, type SealedSecret } from './provider-webhooks/secrets.ts';
