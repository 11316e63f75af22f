import { type Fault, faultsIn } from '../fault.ts';

/** Random mutants that no test noticed when they were drawn. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/exports/store.ts', ['domain/advertising/exports/exports.test.ts'], {
    'lot-51-any-target': [
      ".where('profile_id', '=', profileId)\n    .where('id', '=', id)\n    .executeTakeFirst()",
      ".where('profile_id', '=', profileId)\n    .executeTakeFirst()",
      'conversions of one target are sent to another ad platform of the profile',
    ],
  }),
  ...faultsIn('domain/advertising/connections/store.ts', ['domain/advertising/connections/sync.test.ts'], {
    'lot-48-all-syncs-stop': [
      "UPDATE syncs SET due_at = 'infinity', state = 'idle', run = run + 1, position = NULL, progress = NULL, failing_since = NULL\n    WHERE profile_id = ${profileId} AND connection_id = ${connectionId}",
      "UPDATE syncs SET due_at = 'infinity', state = 'idle', run = run + 1, position = NULL, progress = NULL, failing_since = NULL\n    WHERE profile_id = ${profileId} AND ${connectionId} <> ''",
      'disconnecting one account stops the syncs of all others of the profile',
    ],
  }),
  ...faultsIn('domain/measurement/reports/read-entities.ts', ['domain/measurement/reports/delivery.test.ts'], {
    'lot-41-quiet-ad-is-500': [
      'return only !== undefined && rows.length === 0 ? [{ entity_id: only, ...zeroFigures }] : rows;',
      'return rows;',
      'the page of an ad fails for a period without activity',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/accounts.ts', ['domain/tenancy/accounts/accounts.test.ts'], {
    'lot-21-one-key-version': ['version: crc32(id)', "version: crc32('')", 'nobody can sign in after a key rotation'],
  }),
  ...faultsIn('packages/providers/mercado-pago/index.ts', ['apps/sandbox/mercado-pago/mercado-pago.test.ts'], {
    'lot-16-authorized-disconnects': [
      "notification.type === 'mp-connect' && notification.action === 'application.deauthorized'",
      "notification.type === 'mp-connect'",
      'a healthy connection is shown as disconnected',
    ],
  }),
  ...faultsIn(
    'domain/notifications/webhooks/delivery/batch-store.ts',
    ['domain/notifications/webhooks/delivery.test.ts'],
    {
      'lot-32-latest-due': [
        'SELECT min(due_at) AS due',
        'SELECT max(due_at) AS due',
        'a retry that is due in a minute waits for hours',
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/reconciliation/compare-books.ts',
    ['domain/measurement/reconciliation/reconciliation.test.ts'],
    {
      'lot-35-pending-is-subtracted': [
        "one.state === 'explained' && isOf(day, one)",
        "one.state !== 'open' && isOf(day, one)",
        'a recent payment hides an open difference of its day',
      ],
    },
  ),
  ...faultsIn(
    'domain/measurement/reconciliation/compare-spend.ts',
    ['domain/measurement/reconciliation/reconciliation.test.ts'],
    {
      'lot-55-settled-in-minutes': [
        'limits.reconciliation.settledHours * 3_600_000',
        'limits.reconciliation.settledHours * 60_000',
        'spend that a platform still restates is reported as a difference',
      ],
    },
  ),
  ...faultsIn('packages/rules/scoring/score.ts', ['packages/rules/scoring/scoring.test.ts'], {
    'lot-20-revenue-always': [
      'choices.find((value) => ads.some((ad) => (value(ad) ?? 0) > 0)) ?? (() => null)',
      'choices.find((value) => ads.some((ad) => (value(ad) ?? 0) >= 0)) ?? (() => null)',
      'ads of a lead business are scored by a revenue of zero',
    ],
  }),
  ...faultsIn('domain/privacy/erasures/verify-erasure.ts', ['domain/privacy/erasures/within-texts.test.ts'], {
    'lot-39-full-memory-finds-nobody': [
      'if (cache.size >= maxCached) cache.clear();',
      'if (cache.size >= maxCached) return false;',
      'the erasure certificate of a large profile wrongly reports that no personal data is left',
    ],
  }),
  ...faultsIn('packages/providers/stripe/sync.ts', ['apps/sandbox/stripe/stripe.test.ts'], {
    'lot-58-any-fault-restarts': [
      "error instanceof ProviderFault && error.details.code === 'resource_missing'",
      'error instanceof ProviderFault',
      'a timeout restarts the sync of the whole history',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/operator.ts', ['domain/tenancy/accounts/second-factor.test.ts'], {
    'lot-7-silent-removal': [
      "addToAudit({ detail: { second_factor: 'removed' } });",
      '',
      'the audit log does not show that an operator removed a second factor',
    ],
  }),
  ...faultsIn('packages/providers/shopify/api.ts', ['packages/providers/shopify/api.test.ts'], {
    'lot-8-impatient-shop': [
      'Math.ceil((missing / restoreRate) * 1_000)',
      'Math.ceil(missing / restoreRate)',
      'a throttled store is queried again a thousand times too soon',
    ],
  }),
  ...faultsIn('domain/traffic/partners/resolve-customers.ts', ['domain/traffic/partners/partners.test.ts'], {
    'lot-5-first-number-only': [
      "(text ?? '').matchAll(rutPattern))\n    if",
      "[...(text ?? '').matchAll(rutPattern)].slice(0, 1))\n    if",
      'a national id that follows an invalid one is stored',
    ],
  }),
  ...faultsIn('packages/providers/mercado-pago/payments.ts', ['apps/sandbox/mercado-pago/mercado-pago.test.ts'], {
    'lot-14-refunded-twice': [
      'amount: holds ? remaining : amount',
      'amount',
      'a dispute after a refund subtracts more than the payment',
    ],
  }),
  ...faultsIn(
    'domain/notifications/report-mails/report-mails.queue.ts',
    ['domain/notifications/report-mails/report-mails.test.ts', 'apps/worker/parked-work.test.ts'],
    {
      'lot-15-parked-mail-stays': [
        '`${mailId}/${sentFor.toISOString()}/${userId}`',
        '`${mailId}/${userId}/${sentFor.toISOString()}`',
        'a parked report mail cannot be retried',
      ],
      'parked-report-stays': [
        "date_trunc('milliseconds', now())",
        "date_trunc('milliseconds', now()) + interval '1 microsecond'",
        'a report mail that was put back is never scheduled and keeps a worker busy',
      ],
    },
  ),
  ...faultsIn('domain/privacy/erasures/scan-for-remains.ts', ['domain/privacy/erasures/within-texts.test.ts'], {
    'lot-37-no-base64url': [
      '[A-Za-z0-9_+/-]{12,}',
      '[A-Za-z0-9+/]{12,}',
      'the erasure certificate misses personal data in base64url',
    ],
    'lot-43-escapes-in-latin1': [
      "'hex').toString('utf8')",
      "'hex').toString('latin1')",
      'the erasure certificate misses accented names in URLs',
    ],
    'lot-18-no-short-rut': [
      'number.length >= 7 && number.length <= 16',
      'number.length > 7 && number.length <= 16',
      'the erasure certificate misses a short RUT',
    ],
  }),
  ...faultsIn(
    'domain/tenancy/accounts/assistant-store.ts',
    ['domain/tenancy/accounts/oauth.test.ts', 'domain/tenancy/accounts/oauth-tokens.test.ts'],
    {
      'lot-26-any-consent': [
        ".where('client_id', '=', clientId)\n    .where('reference_id', '=', profileId)",
        ".where('reference_id', '=', profileId)",
        'the audit log names the consent of another assistant',
      ],
    },
  ),
  ...faultsIn('domain/traffic/partners/attributed-touch.ts', ['domain/traffic/partners/partners.test.ts'], {
    'lot-29-ad-set-is-ad': [
      'adSetId: nilToNull(row.ad_set_id)',
      'adSetId: nilToNull(row.ad_id)',
      'a preview merges touches of an ad set that have no ad',
    ],
  }),
  ...faultsIn('packages/providers/oauth-token.ts', ['packages/providers/oauth-token.test.ts'], {
    'lot-30-error-is-consent': [
      'if (error === undefined && code) return { code };',
      'if (code) return { code };',
      'an OAuth callback with an error counts as consent',
    ],
  }),
  ...faultsIn('packages/rules/visits/read-visit.ts', ['packages/rules/visits/read-visit.test.ts'], {
    'lot-33-referrer-off-by-one': [
      "if (value.length > visitLimits.urlCharacters) return 'too_large';\n  if (!isOrdinaryPage(value) && !URL.canParse(value)) return 'bad_referrer';",
      "if (value.length >= visitLimits.urlCharacters) return 'too_large';\n  if (!isOrdinaryPage(value) && !URL.canParse(value)) return 'bad_referrer';",
      'a visit whose referrer has exactly the maximum length is rejected',
    ],
  }),
  ...faultsIn('domain/commerce/sales/sales.queue.ts', ['apps/worker/parked-work.test.ts'], {
    'parked-source-is-lost': [
      'if (rescan) await rescanSources(tx, profileId, [rescan.source], rescan.what);',
      '',
      'a parked source of payments is never matched again',
    ],
  }),
  ...faultsIn('packages/postgres/migrations/0271_set_aside_reconciliations.sql', ['apps/worker/parked-work.test.ts'], {
    'reconciliation-cannot-be-parked': [
      'GRANT UPDATE (state)',
      'GRANT SELECT (state)',
      'a reconciliation that fails is retried forever',
    ],
  }),
];
