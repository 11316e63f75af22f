import { type Fault, faultsIn } from '../fault.ts';

/** Faults in the rules for identity, money and definitions. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/rules/identity.ts', ['packages/rules/identity.test.ts'], {
    'two-national-ids-one-person': [
      'if (hasOtherNationalId || this.#isApart(holder) || this.hasOtherKeyThan(holder)) return false;',
      'if (this.#isApart(holder) || this.hasOtherKeyThan(holder)) return false;',
      'a shared e-mail merges two customers with different national ids',
    ],
    'browser-links-all-it-says': [
      'linked: message.slice(0, 1) };',
      'linked: message };',
      'a browser can join two identifiers of other people',
    ],
    'browser-phone-finds-strong': [
      'if (holder && !hasOtherKey && (isStrongKind(identifier.kind) || !hasStrong || !holder.isStrong))',
      'if (holder && !hasOtherKey)',
      'a shared phone links a browser to a customer who has an e-mail',
    ],
    'weakest-first': [
      'identifierKinds[a.kind].rank - identifierKinds[b.kind].rank',
      'identifierKinds[b.kind].rank - identifierKinds[a.kind].rank',
      'the weakest identifier decides which customer an event belongs to',
    ],
    'conflicts-in-silence': [
      'else if (holder ? isStrongKind(identifier.kind) : !person.canHold(identifier)) conflicts.push(identifier);',
      '',
      'a contested e-mail leaves no conflict',
    ],
  }),
  ...faultsIn(
    'packages/rules/identity-graph.ts',
    ['packages/rules/identity.test.ts', 'domain/commerce/customers/import-customers.test.ts'],
    {
      'merge-chain-cut': [
        'for (let next = this.#mergedInto.get(current); next; next = this.#mergedInto.get(current)) current = next;',
        'current = this.#mergedInto.get(current) ?? current;',
        'a customer merged twice in one batch is not found',
      ],
      'merged-id-forgotten': [
        'nationalId: survivor.nationalId ?? loser.nationalId,',
        'nationalId: survivor.nationalId,',
        'a merge loses the national id, so the next event can merge a different customer',
      ],
    },
  ),
  ...faultsIn('packages/rules/first-payment.ts', ['packages/rules/first-payment.test.ts'], {
    'installment-is-first': [
      ' && !payment.isInstallment;',
      ';',
      'a payment marked as a later installment counts as a first payment',
    ],
    'late-payment-unsettles-nothing': [
      'isEverything: isReturningMoved && !isEarlierNow,',
      'isEverything: false,',
      'subjects stay returning after their earliest payment is deleted',
    ],
    'window-ends-at-payment': [
      'to: new Date(paidAt.getTime() + purchaseMs),',
      'to: paidAt,',
      'a late deposit leaves its balance as a separate first payment',
    ],
    'ties-of-payments-swap': [
      '(a.id < b.id ? -1 : a.id > b.id ? 1 : 0);',
      '0;',
      'the order of arrival decides which of two simultaneous payments is first',
    ],
  }),
  ...faultsIn('packages/rules/money.ts', ['packages/rules/money.test.ts'], {
    'peso-has-cents': ["[0, 'BIF CLP DJF", "[2, 'BIF CLP DJF", 'pesos are counted in cents that do not exist'],
    'refunds-round-otherwise': [
      '[dividend < 0n ? -dividend : dividend, divisor',
      '[dividend, divisor',
      'a full refund leaves one unit behind',
    ],
    'rest-to-the-smallest': [
      'a.remainder > b.remainder ? -1 : 1,',
      'a.remainder > b.remainder ? 1 : -1,',
      'the remaining units go to the smallest remainders',
    ],
    'negative-total-lost': [
      'totalMinor < 0n ? [-totalMinor, -1n]',
      'totalMinor < 0n ? [-totalMinor, 1n]',
      'a refund is credited as positive revenue',
    ],
    'converted-in-old-digits': [
      'scale: from.scale + by.scale }, minorDigits(toCurrency));',
      'scale: from.scale }, minorDigits(toCurrency));',
      'a converted amount is off by powers of ten',
    ],
    'exponents-refused': [
      'decimals.length - Number(exponent);',
      'decimals.length;',
      'a very small number is read as a large one',
    ],
    'grouped-amounts-read': [
      'const plainDecimal = /^-?(0|[1-9]\\d*)(\\.\\d+)?$/;',
      'const plainDecimal = /^-?\\d+(\\.\\d+)?$/;',
      'an amount with leading zeros is accepted',
    ],
  }),
  ...faultsIn('packages/rules/definitions.ts', ['packages/rules/definitions.test.ts'], {
    'type-before-name': [
      'byName.get(eventNameKey(eventName)) ?? byName.get(eventNameKey(eventType))',
      'byName.get(eventNameKey(eventType)) ?? byName.get(eventNameKey(eventName))',
      'the definition by event type overrides the definition by event name',
    ],
    'event-names-by-case': [
      "name.toLowerCase().normalize('NFC').trim()",
      "name.normalize('NFC').trim()",
      '"Lead Created" and "lead created" count as two events',
    ],
    'promise-counted-as-cash': [
      "return standardType === 'cash' ? 'pipeline' : standardType;",
      'return standardType;',
      'an event that a definition excludes from cash still counts as cash',
    ],
    'event-means-two-things': [
      'existing.filter((other) => other.key !== key);',
      '[] as typeof existing;',
      'one event can belong to two definitions and counts for either',
    ],
  }),
  ...faultsIn('packages/rules/event-input.ts', ['packages/rules/event-input.test.ts'], {
    'money-without-key': [
      'if (money && idempotencyKey === null) return',
      "if (money && money.amount !== '0' && idempotencyKey === null) return",
      'a retried order of zero without a key counts as a second conversion',
    ],
    'retry-moves-conversion': [
      'message.occurredAt ?? stored?.occurredAt ?? now',
      'message.occurredAt ?? now',
      'a retry without a time moves the conversion',
    ],
    'retry-keeps-old-subject': [
      'occurredAt: occurredAt.toISOString(), amount, currency, subjectRef, rest',
      'occurredAt: occurredAt.toISOString(), amount, currency, rest',
      'a correction of subject_ref is ignored as a duplicate',
    ],
    'negative-values-taken': [
      "if (parsed.amount.startsWith('-')) return { field: 'properties.value', reason: 'negative' };",
      '',
      'an outcome with a negative value is accepted',
    ],
    'future-conversions': [
      'occurredAt.getTime() - now.getTime() > maxAheadMs',
      'occurredAt.getTime() - now.getTime() > maxAheadMs * 60',
      'a conversion hours in the future is accepted',
    ],
  }),
  ...faultsIn('packages/rules/exchange-rates.ts', ['packages/rules/exchange-rates.test.ts'], {
    'months-and-days-swapped': [
      '/^(\\d{2})-(\\d{2})-(\\d{4})$/.exec(String(one.indexDateString)) ?? [];\n    const [day, units] = [`${year}-${month}-${date}`',
      '/^(\\d{2})-(\\d{2})-(\\d{4})$/.exec(String(one.indexDateString)) ?? [];\n    const [day, units] = [`${year}-${date}-${month}`',
      'days of the Chilean central bank are read as months',
    ],
    'days-off-are-rates': [
      "if (one.statusCode !== 'OK') return [];",
      '',
      'a bank holiday stops all rates of that bank',
    ],
    'euro-has-no-rate': [
      "[...rates, { currency: 'EUR', units: '1' }]",
      '[...rates]',
      "the European Central Bank's file gives no rate for the euro",
    ],
  }),
  ...faultsIn('packages/rules/normalise.ts', ['packages/rules/normalise.test.ts'], {
    'emails-by-case': [
      "text.trim().toLowerCase().normalize('NFC');\n  if (email",
      "text.trim().normalize('NFC');\n  if (email",
      'one e-mail in two spellings counts as two customers',
    ],
    'phones-guessed': [
      "written.startsWith('+') ? phone.isPossible() : phone.isValid()",
      'phone.isPossible()',
      'a phone number that is invalid in its country is stored',
    ],
    'control-characters-kept': [' && !control.test(key);', ';', 'a key with control characters is accepted'],
  }),
  ...faultsIn('packages/rules/erased.ts', ['packages/rules/erased.test.ts'], {
    'erased-key-binds-again': [
      "(one.kind !== 'external_customer_id' || !erased.has(identifierKey(one)))",
      'true',
      'an erased customer_key is linked again by the next event',
    ],
    'moment-of-erasure-is-after': [
      'at <= erasedHolder.erasedAt;',
      'at < erasedHolder.erasedAt;',
      'an event at the exact time of the erasure stores the erased customer again',
    ],
    'shared-phone-buries-others': [
      'return !strong.some(holderOf) && erasedBefore.some',
      'return erasedBefore.some',
      "events of a living relative are dropped because of the erased customer's phone",
    ],
  }),
  ...faultsIn('packages/rules/personal-identifiers.ts', ['packages/rules/personal-identifiers.test.ts'], {
    'names-in-base64-missed': [
      'if (/^[^\\p{Cc}\\ufffd]{4,}$/u.test(decoded)) inner.push(decoded);',
      '',
      'the erasure certificate misses an address in base64',
    ],
    'names-in-names-missed': [
      'if (/[@%\\d]/.test(name) && !Array.isArray(value)) yield name;',
      '',
      'the erasure certificate misses an address used as a field name',
    ],
    'split-phones-missed': [
      'const mostGroups = 6;',
      'const mostGroups = 1;',
      'the erasure certificate misses a phone written in groups',
    ],
  }),
  ...faultsIn('packages/rules/search-terms.ts', ['packages/rules/search-terms.test.ts'], {
    'accents-hide-people': [".replace(/\\p{M}+/gu, '')", '', 'a search for munoz does not find Muñoz'],
    'domains-find-thousands': [
      "...words(email.slice(0, email.lastIndexOf('@'))),",
      '...words(email),',
      'a search for a mail provider finds all of its addresses',
    ],
    'surname-first-not-found': [
      "[...surname, ...given].join(' '),",
      '',
      'a search with the surname first finds nothing',
    ],
  }),
  ...faultsIn('packages/rules/subject-ref.ts', ['packages/rules/subject-ref.test.ts'], {
    'dashes-hide-numbers': [
      "text.replace(/[_-]/g, '').match(",
      'text.match(',
      'a phone with dashes is accepted as an opaque id',
    ],
    'digests-taken': [
      "if (hexDigest.test(text)) return 'hex_digest';",
      '',
      'a digest of a name, which can be guessed, is accepted as an opaque id',
    ],
  }),
  ...faultsIn('packages/rules/plan.ts', ['packages/rules/plan.test.ts', 'apps/collector'], {
    'own-limit-raises-plan': [
      'return Math.min(included, own ?? included);',
      'return own ?? included;',
      'a profile can set a higher quota than its plan',
    ],
  }),
  ...faultsIn(
    'packages/rules/privacy.ts',
    ['packages/rules/privacy.test.ts', 'domain/tenancy/credentials/healthcare.test.ts'],
    {
      'unknown-privacy-is-none': [
        'status === undefined || status.isHealthcareAgency || status.privacyMode',
        'status?.isHealthcareAgency === true',
        'a profile whose privacy mode is unknown shows customer data',
      ],
    },
  ),
];
