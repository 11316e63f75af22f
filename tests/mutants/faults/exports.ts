import { type Fault, faultsIn } from '../fault.ts';

const tests = ['domain/advertising/exports/exports.test.ts'];

/** Faults in conversion exports to ad platforms. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/exports/run-batch.ts', tests, {
    'lost-answer-sent-for-ever': [
      'now.getTime() - firstSentAt.getTime() > deduplicatesForMs',
      'false',
      'a batch whose response was lost is sent again after the platform stops deduplicating',
    ],
    'run-told-while-open': [
      'if (!run?.settledAt) return;',
      'if (!run) return;',
      'an export run is announced while parts of it are still open',
    ],
  }),
  ...faultsIn('domain/advertising/exports/send-batch.ts', tests, {
    'batch-forgets-its-size': [
      'mostTogether: events.length,',
      'mostTogether: 1,',
      'the rejection of a batch counts as a rejection of each event',
    ],
    'refused-batch-given-up': [
      'if (events.length === 1 && only) {',
      'if (only) {',
      'one invalid event fails all others of its batch',
    ],
  }),
  ...faultsIn('domain/advertising/exports/compose.ts', tests, {
    'page-of-a-patient': [
      'return isPrivate ? `${parsed.origin}/` : `${parsed.origin}${parsed.pathname}`;',
      'return `${parsed.origin}${parsed.pathname}`;',
      'a healthcare profile reports which page a patient read',
    ],
    'chat-without-its-click': [
      'Boolean(clickIds.ctwa_clid && target.messaging_dataset)',
      'Boolean(target.messaging_dataset)',
      'a chat without an ad click is reported as opened by an ad',
    ],
  }),
];
