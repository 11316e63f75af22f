import { type Fault, faultsIn } from '../fault.ts';

/** Of the rules about people, money and definitions. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/rules/identity.ts', ['packages/rules/identity.test.ts'], {
    'two-national-ids-one-person': [
      'if (hasOtherNationalId || this.#isApart(holder) || this.hasOtherKeyThan(holder)) return false;',
      'if (this.#isApart(holder) || this.hasOtherKeyThan(holder)) return false;',
      'two people with national ids of their own are merged by a shared e-mail',
    ],
    'browser-links-all-it-says': [
      'linked: message.slice(0, 1) };',
      'linked: message };',
      'a browser ties two identifiers of strangers together',
    ],
    'browser-phone-finds-strong': [
      'if (holder && !hasOtherKey && (isStrongKind(identifier.kind) || !hasStrong || !holder.isStrong))',
      'if (holder && !hasOtherKey)',
      'a shared phone links a browser to somebody with an e-mail of their own',
    ],
    'weakest-first': [
      'identifierKinds[a.kind].rank - identifierKinds[b.kind].rank',
      'identifierKinds[b.kind].rank - identifierKinds[a.kind].rank',
      'the weakest identifier decides who a message is about',
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
        'who was merged twice in one batch is not found',
      ],
      'merged-id-forgotten': [
        'nationalId: survivor.nationalId ?? loser.nationalId,',
        'nationalId: survivor.nationalId,',
        'a merge forgets the national id, and the next message merges somebody else',
      ],
    },
  ),
  ...faultsIn('packages/rules/first-payment.ts', ['packages/rules/first-payment.test.ts'], {
    'installment-is-first': [
      ' && !payment.isInstallment;',
      ';',
      'a marked later installment counts as a first payment',
    ],
    'late-payment-unsettles-nothing': [
      'isEverything: isReturningMoved && !isEarlierNow,',
      'isEverything: false,',
      'subjects that were returning stay so when the earliest payment goes',
    ],
    'window-ends-at-payment': [
      'to: new Date(paidAt.getTime() + purchaseMs),',
      'to: paidAt,',
      'a late deposit leaves the balance as a first payment of its own',
    ],
    'ties-of-payments-swap': [
      '(a.id < b.id ? -1 : a.id > b.id ? 1 : 0);',
      '0;',
      'of two payments of one moment the order of arrival decides which is first',
    ],
  }),
  ...faultsIn('packages/rules/money.ts', ['packages/rules/money.test.ts'], {
    'peso-has-cents': ["[0, 'BIF CLP DJF", "[2, 'BIF CLP DJF", 'pesos are counted in cents that do not exist'],
    'refunds-round-otherwise': [
      '[dividend < 0n ? -dividend : dividend, divisor',
      '[dividend, divisor',
      'a refund of everything leaves a unit behind',
    ],
    'rest-to-the-smallest': [
      'a.remainder > b.remainder ? -1 : 1,',
      'a.remainder > b.remainder ? 1 : -1,',
      'the units left over go to the smallest remainders',
    ],
    'negative-total-lost': [
      'totalMinor < 0n ? [-totalMinor, -1n]',
      'totalMinor < 0n ? [-totalMinor, 1n]',
      'what was taken back is credited as if it were given',
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
      'an amount with leading zeros is read as money',
    ],
  }),
  ...faultsIn('packages/rules/definitions.ts', ['packages/rules/definitions.test.ts'], {
    'type-before-name': [
      'byName.get(eventNameKey(eventName)) ?? byName.get(eventNameKey(eventType))',
      'byName.get(eventNameKey(eventType)) ?? byName.get(eventNameKey(eventName))',
      "the type's definition counts although the name has one of its own",
    ],
    'event-names-by-case': [
      "name.toLowerCase().normalize('NFC').trim()",
      "name.normalize('NFC').trim()",
      'Lead Created and lead created are two events',
    ],
    'promise-counted-as-cash': [
      "return standardType === 'cash' ? 'pipeline' : standardType;",
      'return standardType;',
      'what a definition takes out of the cash is still cash',
    ],
    'event-means-two-things': [
      'existing.filter((other) => other.key !== key);',
      '[] as typeof existing;',
      'an event may stand in two definitions and is counted by either',
    ],
  }),
  ...faultsIn('packages/rules/event-input.ts', ['packages/rules/event-input.test.ts'], {
    'money-without-key': [
      'if (money && idempotencyKey === null) return',
      "if (money && money.amount !== '0' && idempotencyKey === null) return",
      'a retried order of zero is a second conversion',
    ],
    'retry-moves-conversion': [
      'message.occurredAt ?? stored?.occurredAt ?? now',
      'message.occurredAt ?? now',
      'a retry without a time moves the conversion',
    ],
    'retry-keeps-old-subject': [
      'occurredAt: occurredAt.toISOString(), amount, currency, subjectRef, rest',
      'occurredAt: occurredAt.toISOString(), amount, currency, rest',
      'a correction of subject_ref passes for a duplicate',
    ],
    'negative-values-taken': [
      "if (parsed.amount.startsWith('-')) return { field: 'properties.value', reason: 'negative' };",
      '',
      'an outcome below zero is taken',
    ],
    'future-conversions': [
      'occurredAt.getTime() - now.getTime() > maxAheadMs',
      'occurredAt.getTime() - now.getTime() > maxAheadMs * 60',
      'a conversion hours in the future is taken',
    ],
  }),
  ...faultsIn('packages/rules/exchange-rates.ts', ['packages/rules/exchange-rates.test.ts'], {
    'months-and-days-swapped': [
      '/^(\\d{2})-(\\d{2})-(\\d{4})$/.exec(String(one.indexDateString)) ?? [];\n    const [day, units] = [`${year}-${month}-${date}`',
      '/^(\\d{2})-(\\d{2})-(\\d{4})$/.exec(String(one.indexDateString)) ?? [];\n    const [day, units] = [`${year}-${date}-${month}`',
      "the Chilean bank's days are read as months",
    ],
    'days-off-are-rates': [
      "if (one.statusCode !== 'OK') return [];",
      '',
      'a day off of the bank stops all of its rates',
    ],
    'euro-has-no-rate': [
      "[...rates, { currency: 'EUR', units: '1' }]",
      '[...rates]',
      'the bank of the euro gives no rate for euros',
    ],
  }),
  ...faultsIn('packages/rules/normalise.ts', ['packages/rules/normalise.test.ts'], {
    'emails-by-case': [
      "text.trim().toLowerCase().normalize('NFC');\n  if (email",
      "text.trim().normalize('NFC');\n  if (email",
      'one address in two spellings is two people',
    ],
    'phones-guessed': [
      "written.startsWith('+') ? phone.isPossible() : phone.isValid()",
      'phone.isPossible()',
      'a number that its country does not have is kept as one',
    ],
    'control-characters-kept': [' && !control.test(key);', ';', 'a key with control characters is taken'],
  }),
  ...faultsIn('packages/rules/erased.ts', ['packages/rules/erased.test.ts'], {
    'erased-key-binds-again': [
      "(one.kind !== 'external_customer_id' || !erased.has(identifierKey(one)))",
      'true',
      "an erased customer_key binds again with the caller's next message",
    ],
    'moment-of-erasure-is-after': [
      'at <= erasedHolder.erasedAt;',
      'at < erasedHolder.erasedAt;',
      'what happened in the moment of the erasure makes the erased known again',
    ],
    'shared-phone-buries-others': [
      'return !strong.some(holderOf) && erasedBefore.some',
      'return erasedBefore.some',
      "messages of a living relative are dropped for the erased one's phone",
    ],
  }),
  ...faultsIn('packages/rules/personal-identifiers.ts', ['packages/rules/personal-identifiers.test.ts'], {
    'names-in-base64-missed': [
      'if (/^[^\\p{Cc}\\ufffd]{4,}$/u.test(decoded)) inner.push(decoded);',
      '',
      'an address in base64 is not found by the certificate of an erasure',
    ],
    'names-in-names-missed': [
      'if (/[@%\\d]/.test(name) && !Array.isArray(value)) yield name;',
      '',
      'an address that is the name of a field is not found',
    ],
    'split-phones-missed': ['const mostGroups = 6;', 'const mostGroups = 1;', 'a phone written in groups is not found'],
  }),
  ...faultsIn('packages/rules/search-terms.ts', ['packages/rules/search-terms.test.ts'], {
    'accents-hide-people': [".replace(/\\p{M}+/gu, '')", '', 'nobody finds Muñoz by munoz'],
    'domains-find-thousands': [
      "...words(email.slice(0, email.lastIndexOf('@'))),",
      '...words(email),',
      'a search for a mail provider finds everybody there',
    ],
    'surname-first-not-found': ["[...surname, ...given].join(' '),", '', 'the surname first finds nobody'],
  }),
  ...faultsIn('packages/rules/subject-ref.ts', ['packages/rules/subject-ref.test.ts'], {
    'dashes-hide-numbers': [
      "text.replace(/[_-]/g, '').match(",
      'text.match(',
      'a phone with dashes is taken for an opaque id',
    ],
    'digests-taken': [
      "if (hexDigest.test(text)) return 'hex_digest';",
      '',
      'a digest of a name, which can be guessed back, is taken',
    ],
  }),
  ...faultsIn('packages/rules/plan.ts', ['packages/rules/plan.test.ts', 'apps/collector'], {
    'own-limit-raises-plan': [
      'return Math.min(included, own ?? included);',
      'return own ?? included;',
      'a profile may set itself a higher quota than its plan has',
    ],
  }),
  ...faultsIn(
    'packages/rules/privacy.ts',
    ['packages/rules/privacy.test.ts', 'domain/tenancy/credentials/healthcare.test.ts'],
    {
      'unknown-privacy-is-none': [
        'status === undefined || status.isHealthcareAgency || status.privacyMode',
        'status?.isHealthcareAgency === true',
        'a profile whose privacy nobody knows shows its people',
      ],
    },
  ),
];
