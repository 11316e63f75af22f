import type { Routes } from '@tributary/contract';
import { type ClientOptions, createClientOf } from './client.ts';
import { operations } from './operations.ts';
import type { Client } from './types.ts';

export type { ErrorCode, RouteId, Routes } from '@tributary/contract';
export type { ClientOptions, RetryOptions } from './client.ts';
export { TributaryError, type TributaryErrorCode } from './error.ts';
export type { Client, RequestOf, ResponseOf } from './types.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookNotVerified,
} from './verify-webhook.ts';

/** A typed client of the whole API: `client.readProfile()`, `client.createKey({ body })`, `client.listKeys.each()`. */
export function createClient(options: ClientOptions): Client {
  return createClientOf<Routes>(operations, options);
}
