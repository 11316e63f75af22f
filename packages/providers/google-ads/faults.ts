import { z } from 'zod';
import type { ProviderAnswer } from '../provider.ts';
import { type FaultDetails, ProviderFault, type Verdict } from '../provider-fault.ts';
import { readJson } from '../read-answer.ts';

const Failure = z.object({
  errors: z
    .array(
      z.object({
        errorCode: z.record(z.string(), z.string()).default({}),
        message: z.string().default(''),
        details: z
          .object({
            quotaErrorDetails: z
              .object({ rateScope: z.string().optional(), retryDelay: z.string().optional() })
              .optional(),
          })
          .optional(),
      }),
    )
    .optional(),
  /** google.rpc.ErrorInfo, as used by the Data Manager. */
  reason: z.string().optional(),
});
const Envelope = z.object({
  error: z.object({
    message: z.string().default(''),
    status: z.string().optional(),
    details: z.array(Failure).default([]),
  }),
});

const reconnect = [
  'OAUTH_TOKEN_REVOKED',
  'OAUTH_TOKEN_EXPIRED',
  'OAUTH_TOKEN_DISABLED',
  'OAUTH_TOKEN_INVALID',
  'GOOGLE_ACCOUNT_DELETED',
  'NOT_ADS_USER',
  'UNAUTHENTICATED',
];
const needsAction = [
  'TWO_STEP_VERIFICATION_NOT_ENROLLED',
  'ADVANCED_PROTECTION_NOT_ENROLLED',
  'CUSTOMER_NOT_ENABLED',
  'USER_PERMISSION_DENIED',
  'DEVELOPER_TOKEN_NOT_APPROVED',
  'CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION',
  'PERMISSION_DENIED',
  'DESTINATION_ACCOUNT_NOT_ENABLED_ENHANCED_CONVERSIONS_FOR_LEADS',
];
const wait = [
  'RESOURCE_EXHAUSTED',
  'RESOURCE_TEMPORARILY_EXHAUSTED',
  'TRANSIENT_ERROR',
  'DEADLINE_EXCEEDED',
  'INTERNAL_ERROR',
  'INTERNAL',
  'UNAVAILABLE',
];
const defaultWaitMs = 60_000;

/** Classifies by Google's error codes: those of the product first, then that of the envelope. */
export function faultOf(answer: ProviderAnswer): ProviderFault {
  // A streamed response wraps its error in an array.
  const body = readJson(answer.text);
  const read = Envelope.safeParse(Array.isArray(body) ? body[0] : body);
  const isServerError = answer.status >= 500;
  if (!read.success) {
    const verdict = isServerError || answer.status === 429 ? 'wait' : 'refused';
    return new ProviderFault({
      verdict,
      code: `http_${answer.status}`,
      says: 'Google answered in a form of no error of its own.',
      mayHaveHappened: isServerError,
    });
  }
  const { error } = read.data;
  const productError = error.details.flatMap(({ errors = [] }) => errors)[0];
  const codes = [
    ...Object.values(productError?.errorCode ?? {}),
    ...error.details.flatMap(({ reason }) => reason ?? []),
  ];
  const code = codes[0] ?? error.status ?? `http_${answer.status}`;
  const verdict = verdictOf([...codes, error.status ?? ''], answer.status);
  return new ProviderFault({
    verdict,
    code,
    says: productError?.message || error.message,
    mayHaveHappened: isServerError,
    ...(verdict === 'wait' && waitFor(productError?.details?.quotaErrorDetails)),
  });
}

function verdictOf(codes: readonly string[], status: number): Verdict {
  const has = (list: readonly string[]) => codes.some((word) => list.includes(word));
  if (has(wait) || status === 429 || status >= 500) return 'wait';
  if (has(reconnect) || status === 401) return 'reconnect';
  return has(needsAction) ? 'needs_action' : 'refused';
}

function waitFor(
  quota: { rateScope?: string | undefined; retryDelay?: string | undefined } | undefined,
): Partial<FaultDetails> {
  if (!quota) return {};
  const seconds = Number(/^([\d.]+)s$/.exec(quota.retryDelay ?? '')?.[1] ?? Number.NaN);
  return {
    retryAfterMs: Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : defaultWaitMs,
    // A limit of the developer token stops every connection.
    reach: quota.rateScope === 'DEVELOPER' ? 'app' : 'connection',
  };
}
