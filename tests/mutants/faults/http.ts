import { type Fault, faultsIn } from '../fault.ts';

/** Faults in handling HTTP requests. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/http/forgery.ts', ['packages/http/http.test.ts', 'domain/tenancy/accounts/accounts.test.ts'], {
    'forged-with-a-cookie': [
      ' || !isFromOurPages(headers, baseUrl)) {',
      ') {',
      "another site can make changes with a member's session cookie",
    ],
    'forms-of-other-pages': [
      '(needsJson && !isJson) || ',
      '',
      'a form on another site is accepted with a session cookie',
    ],
  }),
  ...faultsIn('packages/http/body-budget.ts', ['packages/http/body-budget.test.ts'], {
    'one-sender-takes-all': [
      'if (this.#bytesOf(entry.sender) > this.#limits.perSender) return this.#release(entry);',
      '',
      "one sender's uploads use the upload capacity of all others",
    ],
    'complete-bodies-given-up': [
      'entry.isReceiving &&',
      '',
      'a complete upload is dropped in favour of an incomplete one',
    ],
  }),
  ...faultsIn('packages/http/pipelining.ts', ['packages/http/pipelining.test.ts'], {
    'answers-overtake': [
      'if (previous.closed) return done();',
      'if (previous) return done();',
      'a pipelined request starts before the previous response was sent',
    ],
  }),
  ...faultsIn('packages/http/read-body.ts', ['packages/http/front-door.test.ts', 'packages/http/http.test.ts'], {
    'strangers-send-megabytes': [
      'caller || isProvider ? routeBytes : Math.min(routeBytes, strangerBytes)',
      'routeBytes',
      'an unauthenticated client can keep megabytes in memory',
    ],
    'cut-bodies-taken': [
      'if (announced >= 0 && announced !== received) fail(wrongLength());',
      'if (false) fail(wrongLength());',
      'a truncated body is accepted as complete',
    ],
  }),
];
