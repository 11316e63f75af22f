import type { Clock } from '@tributary/clock';
import { refusalAuditor, writeAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import { bearerAuthenticator, CredentialFinder } from '@tributary/domain/tenancy/credentials/module.ts';
import { AttemptLimiter, type Authenticate, createPersonalDataGate, type OperationDeps } from '@tributary/operations';
import type { RateLimiter } from '@tributary/redis';
import { createVault, type MasterKey } from '@tributary/vault';
import type { Testkit } from './testkit.ts';

export const testVault = createVault([{ id: 'test', bytes: Buffer.alloc(32, 7) }]);

/** Derived once, because every tombstone lookup hashes with it. */
const tombstoneKey = (testVault.derive('tombstone').at(-1) as MasterKey).bytes;

/** Test keys for every purpose, different per purpose and constant for the whole run. */
export const testKeys = {
  vault: testVault,
  sessionKeys: () => testVault.derive('accounts'),
  linkTokenKeys: () => testVault.derive('link_token'),
  tombstoneKey: () => tombstoneKey,
};

export interface TestDesk extends OperationDeps<object> {
  readonly authenticate: Authenticate;
  readonly door: AttemptLimiter;
  readonly now: () => Date;
}

/**
 * The dependencies of operations without a transport. Rate limits apply per key and app token, and responses are validated against their declaration.
 */
export function openOperationDeps(
  { app, clock }: Pick<Testkit, 'app'> & { readonly clock: Clock },
  limiter: RateLimiter = unlimited,
): TestDesk {
  const bearer = bearerAuthenticator({
    credentials: new CredentialFinder(app.allShards),
    isSwapWindowOpen: () => false,
  });
  return {
    authenticate: ({ authorization }, now) => bearer(authorization, now),
    now: () => clock.now(),
    door: new AttemptLimiter(),
    postgres: app,
    limiter,
    vault: testVault,
    gate: createPersonalDataGate(app),
    services: {},
    baseUrl: 'https://tributary.test',
    audit: writeAudit,
    auditRefusal: refusalAuditor(app, async () => true),
    checkAnswers: true,
  };
}

const unlimited: RateLimiter = {
  take: async (_bucket, limit) => ({ allowed: true, limit, remaining: limit, resetAtSeconds: 0, retryAfterSeconds: 0 }),
};
