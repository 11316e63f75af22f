import { type Fault, faultsIn } from '../fault.ts';

/** Faults in the links for connecting accounts. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/handoffs/handoff.ts', ['domain/advertising/handoffs/handoff.test.ts'], {
    'stopped-consent-holds-for-ever': [
      'claimedAt.getTime() + limits.handoff.partwayReuseMinutes * minuteMs > now.getTime()',
      'claimedAt.getTime() > 0',
      'a process that crashes during a consent makes the link unusable',
    ],
    'passing-fault-ends-the-link': [
      "return seenOn === 'bounce' ? undefined : { ...unsettled, status, reason: ending.reason };",
      'return { ...unsettled, status, reason: ending.reason };',
      'a short outage of a provider makes a new link necessary',
    ],
  }),
  ...faultsIn('domain/advertising/handoffs/return-url.ts', ['domain/advertising/handoffs/return-url.test.ts'], {
    'every-scheme-is-one-origin': [
      'return url && isWeb(url) ? [url.origin] : [];',
      'return url ? [url.origin] : [];',
      'an app with its own URL scheme can redirect users to javascript: URLs',
    ],
    'login-in-the-address': [
      "&& url.username === '' && url.password === '' ? url",
      '? url',
      'the return URL shows one host and leads to another',
    ],
  }),
  ...faultsIn('domain/advertising/handoffs/consent-state.ts', ['domain/advertising/handoffs/consent-state.test.ts'], {
    'any-browser-will-do': [
      ' && sha256(signed.browser) === sent.signed.browser',
      '',
      'another browser with the same link can finish the consent',
    ],
    'state-lives-for-ever': [
      'const isExpired = sent.signed.expiresAt <= now.getTime();',
      'const isExpired = false;',
      'a consent page left open for a day still connects',
    ],
  }),
  ...faultsIn('domain/advertising/handoffs/finish-consent.ts', ['domain/advertising/handoffs/time.test.ts'], {
    'consent-without-a-claim': [
      '    await claimHandoff(tx, row, claim, moment.now);\n',
      '',
      'concurrent callbacks of one consent each exchange their code',
    ],
    'late-consent-writes': [
      "if (row?.claim !== claim || row.status !== 'pending') return outcomeForReason('handoff_used');",
      "if (!row) return outcomeForReason('handoff_used');",
      'an abandoned consent overwrites the result of a later one',
    ],
  }),
  ...faultsIn('domain/advertising/handoffs/selection.ts', ['domain/advertising/handoffs/selection.test.ts'], {
    'choice-is-switched': [
      "return selection.candidateId === candidateId ? 'same' : 'other';",
      "return 'same';",
      'a caller wrongly receives success after selecting another account',
    ],
  }),
];
