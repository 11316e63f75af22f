import { type Fault, faultsIn } from '../fault.ts';

/** Faults in the ingestion of visits and in erasures. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/traffic/ingestion/find-browsers.ts', ['domain/privacy/erasures/after-erasures.test.ts'], {
    'late-visit-is-a-stranger': [
      'const isErased = new Date(arrival.received_at) <= erasedAt;',
      'const isErased = false;',
      'a late visit from before an erasure is stored with personal data',
    ],
  }),
  ...faultsIn('domain/traffic/ingestion/signature.ts', ['domain/traffic/ingestion/signed-identify.test.ts'], {
    'unsigned-is-signed': [
      "/^(?:(\\d{10})\\.)?([0-9a-f]{64})$/.exec(signature ?? '') ?? [];",
      "/^(?:(\\d{10})\\.)?([0-9a-f]{64})$/.exec(signature ?? '') ?? [];\n  if (!signature) return true;",
      'identifiers without a signature count as signed',
    ],
    'old-signature': [
      'return ageMs <= limits.visit.signatureHours * hourMs && ageMs >= -aheadMs;',
      'return ageMs >= -aheadMs;',
      'a signature copied from a page never expires',
    ],
    'signed-second': [
      '? `${signedText(traits)}\\n${seconds}` : ',
      '? signedText(traits) : ',
      'the timestamp of a signature can be changed',
    ],
    'phone-not-signed': [
      '`${external_id}\\n${email}\\n${phone}`',
      '`${external_id}\\n${email}`',
      'a signature is valid for any phone',
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
        'unsigned identifiers link browsers although signatures are required',
      ],
      'words-before-tokens': [
        'const links = await linksByToken(tx, profileId, claims);',
        'const silent = claims.filter(({ identifiers }) => identifiers.length === 0);\n  const links = await linksByToken(tx, profileId, silent);',
        'identifiers from the browser override a link token',
      ],
      'bots-are-linked': [
        'if (arrival.user_agent.is_bot || isErased) return [];',
        'if (isErased) return [];',
        'a bot that opens a link is identified as the customer',
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
        'bots earn attribution credit',
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
        'bots create conversions',
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
        'invalid visits fill PostgreSQL',
      ],
      'erased-in-bad-rows': [
        'const stored = existing.filter((row) => !erased.has(row));',
        'const stored = existing;',
        'an invalid visit restores data of an erased customer',
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
        'visits become dead letters while a store is unavailable',
      ],
      'late-touches-not-marked': [
        '  await markTouched(ingestion, visits);\n',
        '',
        'a touch that arrives after its conversion earns no credit',
      ],
    },
  ),
  ...faultsIn('domain/traffic/ingestion/store-visits.ts', ['domain/privacy/erasures/after-erasures.test.ts'], {
    'erased-visit-stored-whole': [
      '(one.isErased ? { ...visitRow(one), ...clearedVisit } : visitRow(one))',
      'visitRow(one)',
      'a late visit of an erased customer is stored with its page',
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
        'dead letters keep data of an erased customer',
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
        'a visit in the stream is stored after the erasure was completed',
      ],
      'browser-of-the-meantime': [
        'if ((await findVisitorsOf(tx, profileId, [work.shellId])).some((visitorId) => !visitors.has(visitorId))) return;',
        '',
        'a browser linked during an erasure is never cleared',
      ],
      'texts-not-searched': [
        'const texts = await forgetTexts(stores, profileId, signal);',
        'const texts = {};',
        "texts that contain the erased customer's name are kept",
      ],
      'erasure-before-attribution': [
        'if (dirty === 0) items.push(work);',
        'items.push(work);',
        'an erasure completes before credits were recomputed',
      ],
    },
  ),
  ...faultsIn('domain/privacy/erasures/erasure.ts', ['domain/privacy/erasures/erasure.test.ts'], {
    'ref-of-another': [
      "return isSame ? { kind: 'repeat', receipt: byRef } : { kind: 'used_for_another' };",
      "return { kind: 'repeat', receipt: byRef };",
      "a request_ref used for another customer returns that customer's receipt",
    ],
    'address-leads-to-receipt': [
      "return first && isKey ? { kind: 'repeat', receipt: first }",
      "return first ? { kind: 'repeat', receipt: first }",
      'a receipt found by address reveals that a customer was erased',
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
        'after an erasure the same browser is recognised again',
      ],
      'merged-not-erased': [
        'const customerIds = await findMergedInto(tx, profileId, customerId);',
        'const customerIds = [customerId];',
        'customers merged into the erased customer are kept',
      ],
    },
  ),
];
