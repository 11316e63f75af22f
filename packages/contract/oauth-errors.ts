import { z } from 'zod';
import { ErrorCode } from './errors.ts';
import { RequestId } from './primitives.ts';

/**
 * The error codes of RFC 6749 for the token endpoint: section 5.2, and section 4.1.2.1 for errors that do not concern the
 * request.
 */
export const oauthErrors = [
  'invalid_request',
  'invalid_client',
  'unsupported_grant_type',
  'invalid_scope',
  'temporarily_unavailable',
  'server_error',
] as const;

/** An error in OAuth format. `code` is the code that other routes would return. */
export const OAuthErrorBody = z.strictObject({
  error: z.enum(oauthErrors).describe('What went wrong, as OAuth says it.'),
  error_description: z.string().describe('What went wrong, for a person to read.'),
  error_uri: z.url().describe('The page about the code.'),
  code: ErrorCode.describe('What went wrong, by our own code.'),
  request_id: RequestId.describe('Names this request in our logs.'),
});

export interface OAuthError {
  readonly status: number;
  readonly error: (typeof oauthErrors)[number];
}

/** The OAuth error and status of a refusal at the token endpoint. */
export function asOAuthError(code: ErrorCode, status: number, field: unknown): OAuthError {
  if (code === 'unauthorized') return { status: 401, error: 'invalid_client' };
  if (code === 'insufficient_scope' || code === 'healthcare_scope_forbidden' || field === 'scope')
    return { status: 400, error: 'invalid_scope' };
  if (code === 'invalid_parameter' && field === 'grant_type') return { status: 400, error: 'unsupported_grant_type' };
  if (code === 'internal_error') return { status, error: 'server_error' };
  if (code === 'rate_limit_exceeded' || code === 'service_unavailable')
    return { status, error: 'temporarily_unavailable' };
  return { status: code === 'payload_too_large' ? status : 400, error: 'invalid_request' };
}
