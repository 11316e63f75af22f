import { type Fault, faultsIn } from '../fault.ts';

/** Faults in the handling of API operations: admission, idempotency, disclosure and limits. */
export const faults: readonly Fault[] = [
  ...faultsIn(
    'packages/operations/admission.ts',
    ['packages/http/http.test.ts', 'domain/tenancy/credentials/access.test.ts', 'tests/generated/fuzz.test.ts'],
    {
      'writes-before-entitlement': [
        'if (needsEntitlement(route) && !caller.isEntitled) {',
        "if (needsEntitlement(route) && !caller.isEntitled && caller.kind !== 'app') {",
        'an app can write into a profile that is not enabled',
      ],
      'retired-route-lives-on': [
        'if (now.getTime() >= Date.parse(`${sunset}T00:00:00Z`)) {',
        'if (now.getTime() >= Date.parse(`${sunset}T00:00:00Z`) + 86_400_000) {',
        'a retired route works a day longer than announced',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/admission.ts',
    ['domain/tenancy/accounts/members.test.ts', 'tests/generated/probe.test.ts'],
    {
      'foreign-place-is-forbidden': [
        "refuse('not_found', 'There is no such profile or workspace among yours.",
        "refuse('forbidden', 'There is no such profile or workspace among yours.",
        'a 403 reveals which profiles exist',
      ],
      'any-role-will-do': [
        'if (caller.role && access.roles && !access.roles.includes(caller.role)) {',
        'if (caller.role && access.roles && access.roles.length === 0) {',
        'a viewer can do what only an owner may',
      ],
    },
  ),
  ...faultsIn('packages/operations/admission.ts', ['domain/tenancy/accounts/accounts.test.ts'], {
    'any-kind-of-credential': [
      'if (!access.credentials.includes(caller.kind)) {',
      'if (!access.credentials.includes(caller.kind) && access.otherwise) {',
      'a route accepts credential kinds that it does not declare',
    ],
  }),
  ...faultsIn('packages/operations/admission.ts', ['domain/traffic/identity/identity.test.ts'], {
    'one-scope-of-two': [
      'all.every((scope) => caller.scopes.has(scope))',
      'all.some((scope) => caller.scopes.has(scope))',
      'one of two required scopes is enough',
    ],
  }),
  ...faultsIn(
    'packages/operations/admission.ts',
    ['packages/operations/personal-data-gate.test.ts', 'packages/operations/run-operation.test.ts'],
    {
      'lost-scope-not-noticed': [
        'before.scopes.has(scope) && !now.scopes.has(scope)',
        'false && before.scopes.has(scope) && !now.scopes.has(scope)',
        'a response is sent although the caller lost the scope meanwhile',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/run-operation.ts',
    [
      'packages/operations/personal-data-gate.test.ts',
      'packages/operations/run-operation.test.ts',
      'packages/operations/customer-key.test.ts',
      'domain/tenancy/accountability/pii-access-log.test.ts',
    ],
    {
      'revoked-in-flight': [
        "if (!fresh) refuse('unauthorized', 'The credential was revoked while the request was at work.');",
        'if (!fresh) return;',
        'a key revoked during the request still receives personal data',
      ],
      'keys-disclosed-without-a-recheck': [
        'if (disclosedKeys && !mayStillDiscloseKeys(caller, fresh))',
        'if (disclosedKeys && false)',
        'customer keys are sent after the switch to healthcare',
      ],
      'refused-read-not-logged': [
        "await recordAccess(gate, disclosureTo(route, caller, call), 'refused');",
        '{}',
        'a refused access to personal data is not logged',
      ],
      'people-not-counted': [
        '{ ...disclosureTo(route, caller, call, disclosedKeys), people }, (cut)',
        '{ ...disclosureTo(route, caller, call, disclosedKeys), people: 1 }, (cut)',
        'the access log always counts one customer',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/run-operation.ts',
    ['domain/tenancy/accountability/audit-refusal.test.ts', 'packages/operations/audit.test.ts'],
    {
      'forbidden-not-audited': [
        'if (caller && isForbidden(error)) await auditRefusal(',
        'if (false && caller && isForbidden(error)) await auditRefusal(',
        'a forbidden attempt leaves no audit entry',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/personal-data-gate.ts',
    ['packages/operations/personal-data-gate.test.ts', 'packages/operations/leave-with-people.test.ts'],
    {
      'people-without-log': [
        "await recordAccess(gate, leaving, 'served');",
        "await recordAccess(gate, leaving, 'served').catch(() => {});",
        'personal data is sent although the access could not be logged',
      ],
      'gate-without-lock': [
        'if (held) await recheck(tx);',
        'await recheck(tx);\n      held ??= { release: () => {} } as PrivacyLockHandle;',
        'personal data is sent during a switch of the privacy mode',
      ],
      'lock-never-released': [
        '  } finally {\n    held.release();\n  }',
        '  } finally {\n    // kept\n  }',
        'after the first response a switch of the privacy mode waits forever',
      ],
      'slow-reader-not-cut': [
        'const timer = setTimeout(() => cut.abort(), holdMs);',
        'const timer = setTimeout(() => {}, holdMs);',
        'a slow client blocks a switch of the privacy mode',
      ],
      'lost-lock-goes-on': [
        'lockOrRecord(gate, leaving, () => cut.abort());',
        'lockOrRecord(gate, leaving, () => {});',
        'personal data is sent although the lock was lost',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/idempotency.ts',
    [
      'packages/operations/idempotency.test.ts',
      'domain/tenancy/credentials/access.test.ts',
      'packages/http/http.test.ts',
      'tests/generated/repeat.test.ts',
    ],
    {
      'answers-of-yesterday': [
        ".where('expires_at', '>', now)",
        '',
        'an expired Idempotency-Key still replays its response',
      ],
      'in-flight-is-waited-for': [
        'SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS held`',
        'SELECT pg_advisory_xact_lock(${lock}::bigint) IS NOT NULL AS held`',
        'a second request waits for the one in progress instead of being rejected',
      ],
      'body-not-in-fingerprint': [
        'if (body) fingerprint.update(body);',
        '',
        'the same Idempotency-Key with another body replays the first response',
      ],
      'rights-not-in-fingerprint': [
        '`${describePermissions(caller)}\\n${method}',
        '`${method}',
        'a stored response is replayed to a caller who has lost permissions',
      ],
      'token-is-a-new-caller': [
        "(kind === 'app' && appId) || ",
        '',
        'after an app renews its token, its Idempotency-Keys count as new',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/idempotency.ts',
    [
      'domain/privacy/erasures/erase-customer.test.ts',
      'domain/privacy/erasures/within-texts.test.ts',
      'domain/privacy/erasures/create-erasure.test.ts',
      'domain/privacy/erasures/after-erasures.test.ts',
      'domain/measurement/journeys/journey-summary.test.ts',
    ],
    {
      'kept-answers-not-emptied': [
        '  return emptyAnswers(tx, ownerId, [...keys.values()], vault);',
        '  return keys.size;',
        'an Idempotency-Key replays the data of an erased customer',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/work.ts',
    [
      'packages/operations/idempotency.test.ts',
      'domain/tenancy/credentials/access.test.ts',
      'packages/http/http.test.ts',
      'tests/generated/repeat.test.ts',
    ],
    {
      'effect-twice': [
        '      if (earlier) throw new Replay(earlier);\n',
        '',
        'two concurrent requests with one Idempotency-Key are both executed',
      ],
      'unchanged-not-kept': [
        'if (idempotent) await this.#ledger.transaction((tx) => this.#keep(tx, idempotent, fresh));',
        '',
        'a repeated Idempotency-Key may get another response if the first request changed nothing',
      ],
      'secrets-kept': [
        'storedAnswer = { status, bytes: stripped === whole ? bytes : toText(stripped), people };',
        'storedAnswer = { status, bytes, people };',
        'a secret that is shown once is stored for a day',
      ],
    },
  ),
  ...faultsIn('packages/operations/work.ts', ['packages/operations/audit.test.ts'], {
    'changes-not-audited': ['if (entry) await this.#desk.audit(tx, entry);', '', 'changes leave no audit entry'],
  }),
  ...faultsIn('packages/operations/customer-key.ts', ['packages/operations/customer-key.test.ts'], {
    'patient-keys-shown': [
      ' || (caller.isHealthcare && key !== said && !isListed)',
      '',
      "a patient's customer key can be looked up by national id",
    ],
    'speaking-keys-shown': [
      '!isOpaqueKey(key) || ',
      '',
      'an e-mail used as customer key is shown to a caller without customers:read',
    ],
  }),
  ...faultsIn('packages/operations/attempt-limiter.ts', ['packages/operations/attempt-limiter.test.ts'], {
    'guessers-shut-out-the-known': [
      'return isExempt ? undefined : Math.ceil(remainingMs / 1_000);',
      'return Math.ceil(remainingMs / 1_000);',
      'a caller with a valid key is blocked by wrong keys from the same address',
    ],
    'known-for-ever': [
      '(this.#exemptUntil.get(hashValue(credential)) ?? 0) > this.#nowMs();',
      'this.#exemptUntil.has(hashValue(credential));',
      'a revoked key stays exempt from the guess limit forever',
    ],
  }),
  ...faultsIn(
    'packages/operations/identify.ts',
    [
      'packages/operations/attempt-limiter.test.ts',
      'packages/http/http.test.ts',
      'packages/operations/rate-limits.test.ts',
      'packages/http/front-door.test.ts',
    ],
    {
      'guesses-not-counted': [
        'const verdict = await countRefusal(limiter, address);',
        'const verdict = { allowed: true, retryAfterSeconds: 0 } as Awaited<ReturnType<typeof countRefusal>>;',
        'keys can be guessed without limit',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/allowance.ts',
    ['packages/operations/rate-limits.test.ts', 'domain/tenancy/accounts/accounts.test.ts'],
    {
      'ingest-from-the-same-bucket': [
        "const isIngestBucket = bucket === 'ingest' && !caller.isRateSet;",
        "const isIngestBucket = bucket === 'ingest';",
        'a key with its own rate limit can send more events than that',
      ],
      'tokens-guessed-while-redis-is-away': [
        "if (bucket === 'token' && verdict.isLocal) refuseWithoutCount();",
        '',
        'while Redis is unavailable, secrets can be guessed at each process separately',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/parse.ts',
    ['packages/http/http.test.ts', 'packages/operations/parse.test.ts', 'tests/generated/fuzz.test.ts'],
    {
      'unknown-parameters-ignored': [
        'refuseUnknown(Object.keys(route.query?.shape ?? {}), Object.keys(query as object));',
        '',
        'a misspelt filter is ignored, so the response has other figures',
      ],
      'nul-reaches-the-store': [
        'if (read.mayHoldUnkeepable) {',
        'if (false) {',
        'a NUL character in a body causes a 500',
      ],
      'one-fault-at-a-time': [
        'faults.length > 1 && { faults }',
        'faults.length > 99 && { faults }',
        'only one of several faults in a body is reported at a time',
      ],
    },
  ),
  ...faultsIn(
    'packages/operations/read-body-text.ts',
    ['packages/http/http.test.ts', 'packages/operations/parse.test.ts'],
    {
      'broken-utf8-taken': [
        "new TextDecoder('utf-8', { fatal: true })",
        "new TextDecoder('utf-8')",
        'invalid UTF-8 is stored with replacement characters',
      ],
      'deep-bodies-parsed': ['if (excess) throw', 'if (false) throw', 'a body nested a million levels deep is parsed'],
      'large-items-parsed': ['? replaceItems(bytes, items) :', '? bytes :', 'one large event blocks the process'],
    },
  ),
];
