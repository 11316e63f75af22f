import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  AnyErrorEnvelope,
  ErrorCode,
  type ErrorFields,
  errorEntry,
  errorEnvelope,
  errors,
  type Retry,
} from './errors.ts';
import type { Scope } from './scopes.ts';

// Copied from the specification and not derived from the catalogue, so that a changed code or status must be changed here too.
const expected: Record<string, number> = {
  unauthorized: 401,
  forbidden: 403,
  insufficient_scope: 403,
  not_found: 404,
  invalid_parameter: 400,
  invalid_request: 400,
  validation_error: 422,
  invalid_content: 400,
  invalid_date_range: 400,
  entitlement_required: 409,
  healthcare_scope_forbidden: 403,
  invalid_state: 409,
  rate_limit_exceeded: 429,
  connection_not_ready: 409,
  provider_error: 502,
  account_suspended: 403,
  auth_revoked: 403,
  mailbox_disabled: 403,
  quota_exceeded: 429,
  recipient_rejected: 422,
  service_unavailable: 503,
  api_key_required: 403,
  customer_not_found: 404,
  account_connected_elsewhere: 409,
  conversion_not_found: 404,
  erasure_not_found: 404,
  link_tokens_disabled: 503,
  not_implemented: 501,
  internal_error: 500,
  calendar_scope_required: 403,
  calendar_unsupported: 422,
  provider_not_configured: 501,
  invalid_window: 400,
  media_expired: 410,
  chatapp_register_limit: 429,
  chatapp_payment_required: 402,
  messaging_window_closed: 422,
  chatapp_otp_relay_unavailable: 503,
  audit_timeout: 504,
  weak_password: 422,
  compromised_password: 422,
  current_password_required: 400,
  current_password_invalid: 400,
  plan_upgrade_required: 402,
  chatapp_service_window_expired: 422,
  payload_too_large: 413,
  profile_limit_reached: 403,
  idempotency_key_conflict: 409,
  idempotency_key_in_flight: 409,
  demo_purge_blocked: 409,
  workspace_archived: 410,
  app_provisioned_workspace: 403,
  audience_tos_required: 428,
  customer_not_in_profile: 422,
  platform_safe_required: 409,
  meta_write_permission_missing: 403,
  campaign_not_found: 404,
  campaign_not_pausable: 409,
  campaign_not_resumable: 409,
  adset_not_editable: 409,
  budget_change_out_of_bounds: 422,
  clean_dataset_has_live_ad_sets: 409,
  meta_connection_required: 409,
  consent_required: 409,
  amount_invalid: 422,
  manual_refund_exists: 422,
  payment_assignment_incomplete: 502,
  payment_ref_invalid: 422,
  status_invalid: 422,
  range_invalid: 422,
  unknown_answer_key: 422,
  unknown_customer_ref: 422,
  unknown_ad: 422,
};

const envelope = (code: string, status: number, fields: object = {}) => ({
  error: {
    code,
    message: 'What happened, for a person to read.',
    status,
    request_id: 'req_01890a5d-ac96-774b-bcce-b302099a8057',
    docs_url: `https://tributary.example/docs/errors/${code}`,
    ...fields,
  },
});
const accepts = (code: ErrorCode, fields: object = {}, status = errorEntry(code).status) => {
  const sent = envelope(code, status, fields);
  const own = errorEnvelope(code).safeParse(sent).success;
  expect(AnyErrorEnvelope.safeParse(sent).success).toBe(own);
  return own;
};
// Fields that these codes require.
const requiredFields: Partial<Record<ErrorCode, object>> = {
  auth_revoked: { reconnect_required: true },
  profile_limit_reached: { upgrade_required: true, upgrade: { plan: 'scale' } },
  plan_upgrade_required: { upgrade: { plan: 'growth' } },
};

describe('the catalogue', () => {
  test('[err-007] contains exactly these codes', () => {
    expect([...ErrorCode.options].sort()).toEqual(Object.keys(expected).sort());
    expect(Object.keys(expected)).toHaveLength(73);
  });

  test.each(Object.entries(expected))('%s has status %d', (code, status) => {
    expect(errorEntry(ErrorCode.parse(code)).status).toBe(status);
  });

  test('only provider_error has alternate statuses', () => {
    expect(ErrorCode.options.filter((code) => errorEntry(code).alternateStatuses)).toEqual(['provider_error']);
    expect([502, 503, 422, 500].map((status) => accepts('provider_error', {}, status))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test.each(ErrorCode.options)('%s has a title, a meaning and advice in whole sentences', (code) => {
    const { title, meaning, whatToDo } = errorEntry(code);
    expect(title).toMatch(/^[A-Z][^.]{5,44}$/);
    expect(meaning).toMatch(/^[A-Z].{20,}[.)]$/s);
    expect(whatToDo).toMatch(/^[A-Z].{15,}[.)]$/s);
  });

  test('titles and meanings are unique', () => {
    const entries = ErrorCode.options.map(errorEntry);
    expect(new Set(entries.map(({ title }) => title)).size).toBe(entries.length);
    expect(new Set(entries.map(({ meaning }) => meaning)).size).toBe(entries.length);
  });

  test('a code asks the caller to wait if and only if its status is 429', () => {
    const waits = ErrorCode.options.filter((code) => errorEntry(code).retry === 'after_retry_after');
    expect(waits).toEqual(ErrorCode.options.filter((code) => errorEntry(code).status === 429));
  });
});

describe('reserved codes', () => {
  // No route returns these codes, so only the reserved name, status and advice can be tested.
  test.each<[code: string, status: number, retry: Retry]>([
    ['invalid_content', 400, 'after_change'],
    ['account_suspended', 403, 'never'],
    ['auth_revoked', 403, 'after_change'],
    ['mailbox_disabled', 403, 'never'],
    ['quota_exceeded', 429, 'after_retry_after'],
    ['recipient_rejected', 422, 'after_change'],
    ['calendar_scope_required', 403, 'after_change'],
    ['calendar_unsupported', 422, 'after_change'],
    ['provider_not_configured', 501, 'never'],
    ['invalid_window', 400, 'after_change'],
    ['media_expired', 410, 'never'],
    ['chatapp_register_limit', 429, 'after_retry_after'],
    ['chatapp_payment_required', 402, 'after_change'],
    ['chatapp_otp_relay_unavailable', 503, 'with_backoff'],
    ['chatapp_service_window_expired', 422, 'after_change'],
    ['demo_purge_blocked', 409, 'never'],
    ['audience_tos_required', 428, 'after_change'],
    ['messaging_window_closed', 422, 'after_change'],
    ['audit_timeout', 504, 'with_backoff'],
  ])('%s is reserved with status %d', (name, status, retry) => {
    const code = ErrorCode.parse(name);
    expect(errorEntry(code)).toMatchObject({ status, retry, reserved: true });
    expect(accepts(code, requiredFields[code], status)).toBe(true);
  });

  test('there are 19', () => {
    expect(ErrorCode.options.filter((code) => errorEntry(code).reserved)).toHaveLength(19);
  });
});

describe('the envelope', () => {
  test.each(ErrorCode.options)('%s is valid with its fields and invalid without a common field', (code) => {
    expect(accepts(code, requiredFields[code])).toBe(true);
    for (const missing of ['code', 'message', 'status', 'request_id', 'docs_url']) {
      expect(accepts(code, { ...requiredFields[code], [missing]: undefined })).toBe(false);
    }
    expect(accepts(code, { ...requiredFields[code], status: 418 })).toBe(false);
    expect(accepts(code, { ...requiredFields[code], stack: 'at main.ts:1' })).toBe(false);
  });

  const only = (fields: object) =>
    ErrorCode.options.filter((code) => accepts(code, { ...requiredFields[code], ...fields })).sort();

  test('[err-005] reason is optional and allowed only on codes that many routes share', () => {
    const classCodes = [
      'forbidden',
      'invalid_request',
      'invalid_state',
      'provider_error',
      'rate_limit_exceeded',
      'unauthorized',
    ];
    expect(only({ reason: 'selection_expired' })).toEqual(classCodes);
    for (const code of classCodes) expect(accepts(ErrorCode.parse(code))).toBe(true);
    expect(only({ reason: 'Not a stable word.' })).toEqual([]);
  });

  test('consent is allowed only on consent_required', () => {
    expect(only({ consent: { version: '3', text_hashes: { es: 'a1', en: 'b2' } } })).toEqual(['consent_required']);
    expect(accepts('consent_required')).toBe(true);
    expect(only({ consent: { version: '3' } })).toEqual([]);
  });

  test('required_scopes is allowed only on insufficient_scope, with existing scopes', () => {
    expect(only({ required_scopes: ['customers:read'] })).toEqual(['insufficient_scope']);
    expect(only({ required_scopes: ['customers:fly'] })).toEqual([]);
    expect(only({ required_scopes: [] })).toEqual([]);
  });

  test('reconnect fields are allowed only where a provider may have revoked its token', () => {
    const fields = { reconnect_required: true, reconnect_url: 'https://tributary.example/connect/1' };
    expect(only(fields)).toEqual([
      'auth_revoked',
      'connection_not_ready',
      'meta_connection_required',
      'provider_error',
    ]);
    expect(only({ reconnect_required: false })).toEqual([]);
  });

  test('auth_revoked requires reconnect_required', () => {
    expect(errorEnvelope('auth_revoked').safeParse(envelope('auth_revoked', 403)).success).toBe(false);
  });

  test('profile_limit_reached requires the next plan', () => {
    expect(accepts('profile_limit_reached')).toBe(false);
    expect(accepts('profile_limit_reached', { upgrade_required: true })).toBe(false);
    expect(only({ upgrade_required: true, upgrade: { plan: 'scale' } })).toEqual(['profile_limit_reached']);
  });

  test('provider_code and provider_message are allowed only on provider_error', () => {
    expect(only({ provider_code: '100', provider_message: 'Budget too low' })).toEqual(['provider_error']);
  });

  test('field is allowed only on the three codes about invalid input', () => {
    expect(only({ field: 'rows.3.email' })).toEqual(['invalid_parameter', 'invalid_request', 'validation_error']);
  });

  test('an unknown code is rejected', () => {
    expect(AnyErrorEnvelope.safeParse(envelope('teapot', 418)).success).toBe(false);
  });
});

test('the fields of a code are typed', () => {
  expectTypeOf<ErrorFields<'insufficient_scope'>>().toEqualTypeOf<{ required_scopes?: Scope[] | undefined }>();
  expectTypeOf<ErrorFields<'profile_limit_reached'>>().toEqualTypeOf<{
    upgrade_required: true;
    upgrade: { plan: string };
  }>();
  expectTypeOf<ErrorFields<'auth_revoked'>['reconnect_required']>().toEqualTypeOf<true>();
  expectTypeOf<keyof ErrorFields<'not_found'>>().toEqualTypeOf<never>();
  expectTypeOf(errors.not_found.status).toEqualTypeOf<404>();
  expect(errors.not_found.status).toBe(404);
});
