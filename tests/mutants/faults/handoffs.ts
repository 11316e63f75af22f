import { type Fault, faultsIn } from '../fault.ts';

/** Of links with which people connect accounts. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/handoffs/handoff.ts', ['domain/advertising/handoffs/handoff.test.ts'], {
    'stopped-consent-holds-for-ever': [
      'claimedAt.getTime() + limits.handoff.partwayReuseMinutes * minuteMs > now.getTime()',
      'claimedAt.getTime() > 0',
      'a process that died with a consent in its hands makes the link useless',
    ],
    'passing-fault-ends-the-link': [
      "return seenOn === 'bounce' ? undefined : { ...unsettled, status, reason: ending.reason };",
      'return { ...unsettled, status, reason: ending.reason };',
      'a provider that was away for a moment costs a new link',
    ],
  }),
  ...faultsIn('domain/advertising/handoffs/return-url.ts', ['domain/advertising/handoffs/return-url.test.ts'], {
    'every-scheme-is-one-origin': [
      'return url && isWeb(url) ? [url.origin] : [];',
      'return url ? [url.origin] : [];',
      'an app with an address of its own scheme may return people to javascript:',
    ],
    'login-in-the-address': [
      "&& url.username === '' && url.password === '' ? url",
      '? url',
      'people are shown one host and sent to another',
    ],
  }),
  ...faultsIn('domain/advertising/handoffs/consent-state.ts', ['domain/advertising/handoffs/consent-state.test.ts'], {
    'any-browser-will-do': [
      ' && sha256(signed.browser) === sent.signed.browser',
      '',
      'somebody who opened the link as well finishes what another began',
    ],
    'state-lives-for-ever': [
      'const isExpired = sent.signed.expiresAt <= now.getTime();',
      'const isExpired = false;',
      'a consent page that stood open for a day still connects',
    ],
  }),
  ...faultsIn('domain/advertising/handoffs/finish-consent.ts', ['domain/advertising/handoffs/time.test.ts'], {
    'consent-without-a-claim': [
      '    await claimHandoff(tx, row, claim, moment.now);\n',
      '',
      'every consent that comes back at the same time has its code exchanged',
    ],
    'late-consent-writes': [
      "if (row?.claim !== claim || row.status !== 'pending') return outcomeForReason('handoff_used');",
      "if (!row) return outcomeForReason('handoff_used');",
      'a consent that was given up decides after another one did',
    ],
  }),
  ...faultsIn('domain/advertising/handoffs/selection.ts', ['domain/advertising/handoffs/selection.test.ts'], {
    'choice-is-switched': [
      "return selection.candidateId === candidateId ? 'same' : 'other';",
      "return 'same';",
      'a caller believes to have switched accounts',
    ],
  }),
];
