import { type Fault, faultsIn } from '../fault.ts';

/** Faults in customers, outcomes, payments and event definitions. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/commerce/customers/customer-book.ts', ['domain/commerce/customers/import-customers.test.ts'], {
    'merged-away-still-found': [
      'this.#write({ ...loser, terms: [] });',
      'this.#write(loser);',
      'search finds a merged customer as a separate one',
    ],
    'names-overwritten': [
      'firstName: some.firstName ?? others.firstName,',
      'firstName: others.firstName ?? some.firstName,',
      'a later event renames a customer',
    ],
    'merge-to-middle': [
      'finalId: this.survivorOf(merge.loserId)',
      'finalId: merge.survivorId',
      'after two merges in one batch, identifiers belong to a merged customer',
    ],
    'first-seen-forgotten': [
      'new Date(Math.min(some.firstSeenAt.getTime(), others.firstSeenAt.getTime()))',
      'others.firstSeenAt',
      'a merge loses the date when a customer was first seen',
    ],
  }),
  ...faultsIn('domain/commerce/customers/import-row.ts', ['domain/commerce/customers/import-customers.test.ts'], {
    'bad-key-dropped': [
      'if (value === undefined) return { rejected: malformedKey };\n    identifiers.push',
      'if (value !== undefined) identifiers.push',
      'an invalid customer key is dropped silently from a row',
    ],
    'wrong-field-blamed': [
      "unparseable_phone: { field: 'phone',",
      "unparseable_phone: { field: 'email',",
      'a rejected row reports the wrong field',
    ],
    'malformed-field-not-named': [
      "{ reason: 'malformed_row', ...checkedRow.fault }",
      "{ reason: 'malformed_row', ...checkedRow.fault, field: '' }",
      'a malformed row does not report which field is wrong',
    ],
    'key-alone-is-enough': [
      'if (identifiers.length === 0) return { rejected: unidentified(warnings[0]) };',
      '',
      'a row without identifiers creates a customer',
    ],
  }),
  ...faultsIn(
    'domain/commerce/customers/list-customers.ts',
    [
      'domain/commerce/customers/list-customers.test.ts',
      'domain/commerce/customers/customer-row.test.ts',
      'domain/commerce/customers/list-customers-search.test.ts',
    ],
    {
      'cursor-after-the-end': [
        'return at < end ? { at, id: outcomeIdOf(query.cursor_id) } : { at: end, id: nilUuid };',
        'return { at, id: outcomeIdOf(query.cursor_id) };',
        'a cursor from another date range shows conversions after the end',
      ],
      'people-not-logged': [
        'for (const id of names.keys()) mentions(id);',
        '',
        'the access log does not count the customers of a list',
      ],
      'blank-search-finds-all': [
        "search.trim() === '' ? read : async () => emptyRange",
        'read',
        'a search for "!!" lists all customers',
      ],
      'orders-as-total-revenue': ["if (revenueType !== 'cash') return 0;", '', 'an order counts as cash revenue'],
    },
  ),
  ...faultsIn(
    'domain/commerce/customers/match-customers.ts',
    ['domain/commerce/customers/search-customers.test.ts', 'domain/commerce/customers/list-customers-search.test.ts'],
    {
      'any-word-fits': [
        'sql.join(words.map(begins), sql` AND `)',
        'sql.join(words.map(begins), sql` OR `)',
        'a search for two words matches customers with only one of them',
      ],
    },
  ),
  ...faultsIn('domain/commerce/outcomes/record-outcomes.ts', ['domain/privacy/erasures/erase-customer.test.ts'], {
    'erased-speaks-again': [
      '  if (before?.erasedAt)\n    return { ...event, rest: before.rest, subjectRef: before.subjectRef, customerId: before.customerId };\n',
      '',
      'resending an event of an erased customer restores its data',
    ],
  }),
  ...faultsIn(
    'domain/commerce/outcomes/record-visit-outcomes.ts',
    ['domain/traffic/ingestion/pipeline.test.ts', 'domain/traffic/ingestion/pipeline-messages.test.ts'],
    {
      'browsers-record-cash': [
        ' && !definition.countsAsCash;',
        ';',
        'anybody can record payments with the public tracking key',
      ],
    },
  ),
  ...faultsIn(
    'domain/commerce/outcomes/erase.ts',
    [
      'domain/privacy/erasures/erase-customer.test.ts',
      'domain/privacy/erasures/create-erasure.test.ts',
      'domain/privacy/erasures/complete-erasures.test.ts',
    ],
    {
      'subject-refs-stay': [
        'subject_ref = (SELECT stand_in FROM subjects s WHERE s.subject_ref = o.subject_ref),\n',
        '',
        "a child's subject_ref is kept after the parent was erased",
      ],
      'further-fields-stay': [
        "      rest = coalesce((SELECT jsonb_object_agg(key, value) FROM jsonb_each(o.rest)\n        WHERE key = ANY (${[...impersonalFields]}::text[]) AND value <> 'null'), '{}')\n    WHERE o.profile_id = ${profileId} AND o.customer_id = ANY",
        '      rest = o.rest\n    WHERE o.profile_id = ${profileId} AND o.customer_id = ANY',
        'further fields of an event are kept after the customer was erased',
      ],
    },
  ),
  ...faultsIn('domain/commerce/outcomes/erase-mentions.ts', ['domain/privacy/erasures/within-texts.test.ts'], {
    'mentions-only-whole': [
      'naming.has(value) ? erasedWord : value',
      'value',
      "a note of an order still contains the erased customer's name",
    ],
  }),
  ...faultsIn(
    'domain/commerce/outcomes/goal-store.ts',
    ['domain/commerce/customers/list-customers.test.ts', 'domain/commerce/customers/customer-row.test.ts'],
    {
      'goal-by-type-too': [
        'SELECT *, event_key <> ALL (${events.listed}::text[]) FROM',
        'SELECT *, true FROM',
        'an event defined by its name also counts for the goal of its type',
      ],
      'other-currency-shown': [
        'CASE WHEN o.reporting_currency = ${currency} THEN o.reporting_amount END AS amount',
        'o.reporting_amount AS amount',
        'an amount in the old currency is shown in the new currency',
      ],
    },
  ),
  ...faultsIn(
    'domain/commerce/payments/derive-changed-payments.ts',
    ['domain/commerce/payments/first-payments.test.ts'],
    {
      'late-deposit-unsettles-nothing': [
        'if (now.isFirstPayment !== was.isFirstPayment || now.purchaseId !== was.purchaseId) standings.set(payment.id, now);',
        '',
        'a deposit that arrives late leaves two first payments',
      ],
      'own-group-forgotten': [
        'groups.get(subjectRef) ?? (subjectRef === null ? untagged : undefined) ?? opening',
        'groups.get(subjectRef) ?? opening',
        'a returning customer counts as new',
      ],
    },
  ),
  ...faultsIn('domain/commerce/link-tokens/read-row.ts', ['domain/commerce/link-tokens/read-row.test.ts'], {
    'bad-selector-skipped': [
      "return selectors.find((one) => 'invalid' in one) ?? selectors[0]",
      "return selectors.find((one) => !('invalid' in one)) ?? selectors[0]",
      'a row with an invalid selector creates a token for the customer of the next selector',
    ],
  }),
  ...faultsIn('domain/commerce/link-tokens/store.ts', ['domain/privacy/erasures/erase-customer.test.ts'], {
    'erased-address-told': [
      "const isKey = 'identifier' in row && row.identifier.kind === 'external_customer_id';",
      "const isKey = 'identifier' in row;",
      'a lookup by address reveals that a customer was erased',
    ],
  }),
  ...faultsIn(
    'domain/commerce/definitions/goal-definitions.ts',
    ['domain/commerce/definitions/goal-definitions.test.ts'],
    {
      'changed-lookback-not-spread': [
        '    before.isAttributionEligible === after.isAttributionEligible &&\n    before.lookbackWindowDays === after.lookbackWindowDays;',
        '    before.isAttributionEligible === after.isAttributionEligible;',
        'a changed lookback window does not update credits',
      ],
      'two-defaults': [
        'isDefault: input.is_default ?? before?.isDefault ?? false,',
        'isDefault: input.is_default ?? false,',
        'a change of the default goal leaves no default',
      ],
    },
  ),
  ...faultsIn('domain/commerce/definitions/definitions.ts', ['domain/commerce/definitions/goal-definitions.test.ts'], {
    'default-not-moved': [
      ".set({ is_default: false })\n      .where('profile_id', '=', profileId)",
      ".set({ is_default: true })\n      .where('profile_id', '=', profileId)",
      'a new default goal makes all others default, too',
    ],
  }),
  ...faultsIn('domain/commerce/payments/payments-store.ts', ['domain/commerce/payments/first-payments.test.ts'], {
    'window-without-its-end-of-payments': [
      'o.paid_at BETWEEN w.low AND w.high',
      'o.paid_at >= w.low AND o.paid_at < w.high',
      'a balance exactly 7 days later stays a first payment',
    ],
  }),
];
