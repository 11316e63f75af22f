import { type Fault, faultsIn } from '../fault.ts';

const tests = ['domain/advertising/exports/exports.test.ts'];

/** Of what ad platforms are told. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/exports/run-batch.ts', tests, {
    'lost-answer-sent-for-ever': [
      'now.getTime() - firstSentAt.getTime() > deduplicatesForMs',
      'false',
      'a batch whose answer was lost is sent after the platform counts copies twice',
    ],
    'run-told-while-open': [
      'if (!run?.settledAt) return;',
      'if (!run) return;',
      'a run is announced while some of it is still under way',
    ],
  }),
  ...faultsIn('domain/advertising/exports/send-batch.ts', tests, {
    'batch-forgets-its-size': [
      'mostTogether: events.length,',
      'mostTogether: 1,',
      'the refusal of a batch is taken for that of each event',
    ],
    'refused-batch-given-up': [
      'if (events.length === 1 && only) {',
      'if (only) {',
      'one bad event costs all others of its batch',
    ],
  }),
  ...faultsIn('domain/advertising/exports/compose.ts', tests, {
    'page-of-a-patient': [
      'return isPrivate ? `${parsed.origin}/` : `${parsed.origin}${parsed.pathname}`;',
      'return `${parsed.origin}${parsed.pathname}`;',
      'a healthcare profile tells which page somebody read',
    ],
    'chat-without-its-click': [
      'Boolean(clickIds.ctwa_clid && target.messaging_dataset)',
      'Boolean(target.messaging_dataset)',
      'a chat that no ad opened is told as one that an ad did',
    ],
  }),
];
