import { type Fault, faultsIn } from '../fault.ts';

/** Of visits on their way into the stores, and of whoever was erased. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/traffic/ingestion/find-browsers.ts', ['domain/privacy/erasures/after-erasures.test.ts'], {
    'late-visit-is-a-stranger': [
      'const isErased = new Date(arrival.received_at) <= erasedAt;',
      'const isErased = false;',
      'a visit of before an erasure that comes late is stored whole',
    ],
  }),
  ...faultsIn('domain/traffic/ingestion/signature.ts', ['domain/traffic/ingestion/signed-identify.test.ts'], {
    'unsigned-is-signed': [
      "/^(?:(\\d{10})\\.)?([0-9a-f]{64})$/.exec(signature ?? '') ?? [];",
      "/^(?:(\\d{10})\\.)?([0-9a-f]{64})$/.exec(signature ?? '') ?? [];\n  if (!signature) return true;",
      'what nobody signed counts as signed',
    ],
    'old-signature': [
      'return ageMs <= limits.visit.signatureHours * hourMs && ageMs >= -aheadMs;',
      'return ageMs >= -aheadMs;',
      'a signature copied from a page never expires',
    ],
    'signed-second': [
      '? `${signedText(traits)}\\n${seconds}` : ',
      '? signedText(traits) : ',
      'the timestamp can be changed',
    ],
    'phone-not-signed': [
      '`${external_id}\\n${email}\\n${phone}`',
      '`${external_id}\\n${email}`',
      'a signature holds for any phone',
    ],
  }),
  ...faultsIn(
    'domain/traffic/ingestion/identify-visitors.ts',
    [
      'domain/traffic/ingestion/signed-identify.test.ts',
      'domain/traffic/ingestion/link-token.test.ts',
      'domain/privacy/erasures/after-erasures.test.ts',
    ],
    {
      'required-signature-optional': [
        'if (!signing.isRequired || claim.isSigned || claim.identifiers.length === 0) return [claim];',
        'return [claim];',
        'unsigned words link browsers although signatures are required',
      ],
      'words-before-tokens': [
        'const links = await linksByToken(tx, profileId, claims);',
        'const silent = claims.filter(({ identifiers }) => identifiers.length === 0);\n  const links = await linksByToken(tx, profileId, silent);',
        'what a browser says counts before a link token',
      ],
      'bots-are-linked': [
        'if (arrival.user_agent.is_bot || isErased) return [];',
        'if (isErased) return [];',
        'a robot that opens a link is taken for the person',
      ],
    },
  ),
  ...faultsIn(
    'domain/traffic/ingestion/place-visits.ts',
    ['domain/traffic/ingestion/pipeline.test.ts', 'domain/traffic/ingestion/order.test.ts'],
    {
      'bots-earn': [
        'const touch = arrival.user_agent.is_bot ? null : decideTouch(visit, classification);',
        'const touch = decideTouch(visit, classification);',
        'robots earn sales',
      ],
    },
  ),
  ...faultsIn(
    'domain/traffic/ingestion/record-conversions.ts',
    [
      'domain/traffic/ingestion/pipeline.test.ts',
      'domain/traffic/ingestion/pipeline-messages.test.ts',
      'domain/traffic/ingestion/limits.test.ts',
    ],
    {
      'bots-convert': [
        ' || visit.name === undefined || arrival.user_agent.is_bot) return [];',
        ' || visit.name === undefined) return [];',
        'robots make conversions',
      ],
    },
  ),
  ...faultsIn(
    'domain/traffic/ingestion/store-invalid-visits.ts',
    ['domain/traffic/ingestion/limits.test.ts', 'domain/privacy/erasures/after-erasures.test.ts'],
    {
      'bad-rows-without-end': [
        'return fits ? row : { ...row, sealed: null };',
        'return row;',
        'nonsense fills the ledger',
      ],
      'erased-in-bad-rows': [
        'const stored = existing.filter((row) => !erased.has(row));',
        'const stored = existing;',
        'a bad row brings an erased person back',
      ],
    },
  ),
  ...faultsIn(
    'domain/traffic/ingestion/pipeline.ts',
    ['domain/traffic/ingestion/pipeline.test.ts', 'domain/traffic/ingestion/pipeline-messages.test.ts'],
    {
      'away-is-a-fault': [
        'if (!isTransient) throw error;',
        'throw error;',
        'visits become dead letters while a store is away',
      ],
      'late-touches-not-marked': [
        '  await markTouched(ingestion, visits);\n',
        '',
        'a touch that comes after its sale earns nothing',
      ],
    },
  ),
  ...faultsIn('domain/traffic/ingestion/store-visits.ts', ['domain/privacy/erasures/after-erasures.test.ts'], {
    'erased-visit-stored-whole': [
      '(one.isErased ? { ...visitRow(one), ...clearedVisit } : visitRow(one))',
      'visitRow(one)',
      'a late visit of an erased person is stored with its page',
    ],
  }),
  ...faultsIn(
    'domain/traffic/ingestion/delete-dead-letters.ts',
    [
      'domain/privacy/erasures/complete-erasures.test.ts',
      'domain/privacy/erasures/after-erasures.test.ts',
      'domain/privacy/erasures/within-texts.test.ts',
    ],
    {
      'letters-keep-the-erased': [
        'const remaining = lines.filter((_, line) => !removedLines.has(line));',
        'const remaining = lines;',
        'dead letters keep an erased person',
      ],
    },
  ),
  ...faultsIn(
    'domain/privacy/erasures/erasures.queue.ts',
    ['domain/privacy/erasures/complete-erasures.test.ts', 'domain/privacy/erasures/after-erasures.test.ts'],
    {
      'erased-while-on-the-way': [
        'if (!isPassed(passed, work.logPosition ?? end)) continue;',
        '',
        'a visit on its way is stored after the erasure is done',
      ],
      'browser-of-the-meantime': [
        'if ((await findVisitorsOf(tx, profileId, [work.shellId])).some((visitorId) => !visitors.has(visitorId))) return;',
        '',
        "a browser that became the person's during clearing is never cleared",
      ],
      'texts-not-searched': [
        'const texts = await forgetTexts(stores, profileId, signal);',
        'const texts = {};',
        'texts that name the erased stay',
      ],
      'erasure-before-attribution': [
        'if (dirty === 0) items.push(work);',
        'items.push(work);',
        'an erasure is done before the credits were moved',
      ],
    },
  ),
  ...faultsIn('domain/privacy/erasures/erasure.ts', ['domain/privacy/erasures/erasure.test.ts'], {
    'ref-of-another': [
      "return isSame ? { kind: 'repeat', receipt: byRef } : { kind: 'used_for_another' };",
      "return { kind: 'repeat', receipt: byRef };",
      'a request_ref used for somebody else is answered with their receipt',
    ],
    'address-leads-to-receipt': [
      "return first && isKey ? { kind: 'repeat', receipt: first }",
      "return first ? { kind: 'repeat', receipt: first }",
      'an address tells that somebody was erased',
    ],
  }),
  ...faultsIn(
    'domain/privacy/erasures/erase-customer.ts',
    [
      'domain/privacy/erasures/erase-customer.test.ts',
      'domain/privacy/erasures/after-erasures.test.ts',
      'domain/privacy/erasures/create-erasure.test.ts',
    ],
    {
      'browsers-not-buried': [
        '    ...visitorIds.map(nameOfVisitor),\n',
        '',
        'after an erasure the same browser is known again',
      ],
      'merged-not-erased': [
        'const customerIds = await findMergedInto(tx, profileId, customerId);',
        'const customerIds = [customerId];',
        'who was merged into the erased stays',
      ],
    },
  ),
];
