import { type Fault, faultsIn } from '../fault.ts';

/** Of what a call is. */
export const faults: readonly Fault[] = [
  ...faultsIn(
    'packages/operations/admission.ts',
    ['packages/http/http.test.ts', 'domain/tenancy/credentials/access.test.ts', 'tests/generated/fuzz.test.ts'],
    {
      'writes-before-entitlement': [
        'if (needsEntitlement(route) && !caller.isEntitled) {',
        "if (needsEntitlement(route) && !caller.isEntitled && caller.kind !== 'app') {",
        'an app writes into a profile that nobody switched on',
      ],
      'retired-route-lives-on': [
        'if (now.getTime() >= Date.parse(`${sunset}T00:00:00Z`)) {',
        'if (now.getTime() >= Date.parse(`${sunset}T00:00:00Z`) + 86_400_000) {',
        'a retired route answers a day longer than announced',
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
        'somebody learns which profiles exist',
      ],
      'any-role-will-do': [
        'if (caller.role && access.roles && !access.roles.includes(caller.role)) {',
        'if (caller.role && access.roles && access.roles.length === 0) {',
        'a viewer does what only an owner may',
      ],
    },
  ),
  ...faultsIn('packages/operations/admission.ts', ['domain/tenancy/accounts/accounts.test.ts'], {
    'any-kind-of-credential': [
      'if (!access.credentials.includes(caller.kind)) {',
      'if (!access.credentials.includes(caller.kind) && access.otherwise) {',
      'a route takes kinds of credentials that it does not declare',
    ],
  }),
  ...faultsIn('packages/operations/admission.ts', ['domain/traffic/identity/identity.test.ts'], {
    'one-scope-of-two': [
      'all.every((scope) => caller.scopes.has(scope))',
      'all.some((scope) => caller.scopes.has(scope))',
      'one of two scopes that are both needed is enough',
    ],
  }),
  ...faultsIn(
    'packages/operations/admission.ts',
    ['packages/operations/personal-data-gate.test.ts', 'packages/operations/run-operation.test.ts'],
    {
      'lost-scope-not-noticed': [
        'before.scopes.has(scope) && !now.scopes.has(scope)',
        'false && before.scopes.has(scope) && !now.scopes.has(scope)',
        'an answer made for a scope that was lost meanwhile leaves',
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
        'a key that was revoked while the request was at work still gets people',
      ],
      'keys-disclosed-without-a-recheck': [
        'if (disclosedKeys && !mayStillDiscloseKeys(caller, fresh))',
        'if (disclosedKeys && false)',
        'keys of patients leave after a switch to healthcare',
      ],
      'refused-read-not-logged': [
        "await recordAccess(gate, disclosureTo(route, caller, call), 'refused');",
        '{}',
        'a refused attempt to read people is in no log',
      ],
      'people-not-counted': [
        '{ ...disclosureTo(route, caller, call, disclosedKeys), people }, (cut)',
        '{ ...disclosureTo(route, caller, call, disclosedKeys), people: 1 }, (cut)',
        'the log of who read people counts one, however many there were',
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
        'people leave although the access could not be logged',
      ],
      'gate-without-lock': [
        'if (held) await recheck(tx);',
        'await recheck(tx);\n      held ??= { release: () => {} } as PrivacyLockHandle;',
        'people leave while a switch of privacy is at work',
      ],
      'lock-never-released': [
        '  } finally {\n    held.release();\n  }',
        '  } finally {\n    // kept\n  }',
        'a switch of privacy waits for ever after the first answer',
      ],
      'slow-reader-not-cut': [
        'const timer = setTimeout(() => cut.abort(), holdMs);',
        'const timer = setTimeout(() => {}, holdMs);',
        'somebody who reads slowly keeps a switch of privacy from happening',
      ],
      'lost-lock-goes-on': [
        'lockOrRecord(gate, leaving, () => cut.abort());',
        'lockOrRecord(gate, leaving, () => {});',
        'bytes leave although the lock was lost',
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
      'answers-of-yesterday': [".where('expires_at', '>', now)", '', 'a key is answered with what it did days ago'],
      'in-flight-is-waited-for': [
        'SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS held`',
        'SELECT pg_advisory_xact_lock(${lock}::bigint) IS NOT NULL AS held`',
        'a request in flight is waited for and never refused',
      ],
      'body-not-in-fingerprint': [
        'if (body) fingerprint.update(body);',
        '',
        'the same key with another body is answered as if it were the same',
      ],
      'rights-not-in-fingerprint': [
        '`${describePermissions(caller)}\\n${method}',
        '`${method}',
        'an answer is shown again to somebody who may do less by now',
      ],
      'token-is-a-new-caller': [
        "(kind === 'app' && appId) || ",
        '',
        "an app's key is another key after its token was renewed",
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
        'an erased person is served again under an Idempotency-Key',
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
        'two requests of one key at once are both carried out',
      ],
      'unchanged-not-kept': [
        'if (idempotent) await this.#ledger.transaction((tx) => this.#keep(tx, idempotent, fresh));',
        '',
        'a key whose request changed nothing may be answered otherwise later',
      ],
      'secrets-kept': [
        'storedAnswer = { status, bytes: stripped === whole ? bytes : toText(stripped), people };',
        'storedAnswer = { status, bytes, people };',
        'a secret that is shown once is kept for a day',
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
      "a national id is turned into a patient's key",
    ],
    'speaking-keys-shown': [
      '!isOpaqueKey(key) || ',
      '',
      'an e-mail used as a key is shown to a caller without customers:read',
    ],
  }),
  ...faultsIn('packages/operations/attempt-limiter.ts', ['packages/operations/attempt-limiter.test.ts'], {
    'guessers-shut-out-the-known': [
      'return isExempt ? undefined : Math.ceil(remainingMs / 1_000);',
      'return Math.ceil(remainingMs / 1_000);',
      "somebody with a good key is shut out by a neighbour's guesses",
    ],
    'known-for-ever': [
      '(this.#exemptUntil.get(hashValue(credential)) ?? 0) > this.#nowMs();',
      'this.#exemptUntil.has(hashValue(credential));',
      'a revoked key passes the door for ever',
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
        'keys may be guessed without limit',
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
        'a key with a limit of its own sends more events than that',
      ],
      'tokens-guessed-while-redis-is-away': [
        "if (bucket === 'token' && verdict.isLocal) refuseWithoutCount();",
        '',
        'secrets may be guessed at each process by itself while Redis is away',
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
        'a typing error in a filter answers with other numbers',
      ],
      'nul-reaches-the-store': ['if (read.mayHoldUnkeepable) {', 'if (false) {', 'a NUL character in a body is a 500'],
      'one-fault-at-a-time': [
        'faults.length > 1 && { faults }',
        'faults.length > 99 && { faults }',
        'a body with three mistakes takes three answers to put right',
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
        'broken text is stored with replacement characters',
      ],
      'deep-bodies-parsed': ['if (excess) throw', 'if (false) throw', 'a body nested a million deep is parsed'],
      'large-items-parsed': ['? replaceItems(bytes, items) :', '? bytes :', 'one event blocks the process'],
    },
  ),
];
