import { type Fault, faultsIn } from '../fault.ts';

/** Of how a call comes in over HTTP. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/http/forgery.ts', ['packages/http/http.test.ts', 'domain/tenancy/accounts/accounts.test.ts'], {
    'forged-with-a-cookie': [
      ' || !isFromOurPages(headers, baseUrl)) {',
      ') {',
      "another page makes changes with somebody's cookie",
    ],
    'forms-of-other-pages': ['(needsJson && !isJson) || ', '', 'a form of another page is taken with a cookie'],
  }),
  ...faultsIn('packages/http/body-budget.ts', ['packages/http/body-budget.test.ts'], {
    'one-sender-takes-all': [
      'if (this.#bytesOf(entry.sender) > this.#limits.perSender) return this.#release(entry);',
      '',
      "one sender's uploads take the room of all others",
    ],
    'complete-bodies-given-up': [
      'entry.isReceiving &&',
      '',
      'a body that has come whole is given up for one that has not',
    ],
  }),
  ...faultsIn('packages/http/pipelining.ts', ['packages/http/pipelining.test.ts'], {
    'answers-overtake': [
      'if (previous.closed) return done();',
      'if (previous) return done();',
      'a request is begun before the answer ahead of it has left',
    ],
  }),
  ...faultsIn('packages/http/read-body.ts', ['packages/http/front-door.test.ts', 'packages/http/http.test.ts'], {
    'strangers-send-megabytes': [
      'caller || isProvider ? routeBytes : Math.min(routeBytes, strangerBytes)',
      'routeBytes',
      'somebody unknown has megabytes kept in memory',
    ],
    'cut-bodies-taken': [
      'if (announced >= 0 && announced !== received) fail(wrongLength());',
      'if (false) fail(wrongLength());',
      'a body that was cut short is taken for whole',
    ],
  }),
];
