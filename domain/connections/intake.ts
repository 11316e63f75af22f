/** The door of the process that takes webhooks of providers: what happens to one before the stream has it. */

export { sealWebhook } from './provider-webhooks/message.ts';
export { findWebhookSecrets, isSignedByAny, type SealedSecret } from './provider-webhooks/secrets.ts';
