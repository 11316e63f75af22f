import type { Fault } from '../fault.ts';

export const faults: readonly Fault[] = [
  {
    id: 'session-a-moment-longer',
    file: 'packages/tracker/source/session.ts',
    from: '< idleMs ? id : undefined;',
    to: '<= idleMs ? id : undefined;',
    breaks: 'session ends a moment later',
    tests: ['packages/tracker/source/session.test.ts'],
  },
  {
    id: 'bad-row-twice',
    file: 'domain/ingestion/keep-bad-visits.ts',
    from: 'uuidFrom(`bad_visit:${id}:${place}`, arrival.profile_id)',
    to: 'crypto.randomUUID()',
    breaks: 'a redelivery keeps the bad row a second time',
    tests: [
      'domain/ingestion/pipeline.test.ts',
      'domain/ingestion/pipeline-messages.test.ts',
      'domain/ingestion/order.test.ts',
    ],
  },
  {
    id: 'numbers-backwards',
    file: 'domain/events/sequencer.ts',
    from: 'row_number() OVER (ORDER BY id)',
    to: 'row_number() OVER (ORDER BY id DESC)',
    breaks: 'within a batch numbers run backwards',
    tests: ['domain/events'],
  },
  {
    id: 'number-given-twice',
    file: 'domain/events/sequencer.ts',
    from: "select('last').forUpdate()",
    to: "select('last')",
    breaks: 'two sequencers give one number twice',
    tests: ['domain/events'],
  },
  {
    id: 'newest-first',
    file: 'domain/events/sequencer.ts',
    from: '(SELECT id FROM outbox ORDER BY id LIMIT ${limit})',
    to: '(SELECT id FROM outbox ORDER BY id DESC LIMIT ${limit})',
    breaks: 'of a backlog the newest are numbered first',
    tests: ['domain/events'],
  },
  {
    id: 'older-visits-believed',
    file: 'packages/vocabulary/limits.ts',
    from: 'maxAgeDays: 30',
    to: 'maxAgeDays: 31',
    breaks: 'a visit that is a day older is believed',
    tests: ['packages/rules/visits/read-visit.test.ts'],
  },
];
