/** What the line to PostgreSQL says, by its beginning, when nobody can be asked at the moment. */
const line: Readonly<Record<string, string>> = {
  ECONN: 'refused, reset or cut off',
  EPIPE: 'cut off while we wrote',
  ETIMEDOUT: 'no answer to the first word',
  ENOTFOUND: 'the name is not known: a container that starts again has none for a moment',
  EAI_AGAIN: 'who looks names up does not answer',
  EAI_FAIL: 'who looks names up has failed',
  EHOSTUNREACH: 'no way to the machine',
  EHOSTDOWN: 'the machine is down',
  ENETUNREACH: 'no way to its network',
  ENETDOWN: 'our own network is down',
  EADDRNOTAVAIL: 'all our ports are in use',
};

/** What PostgreSQL says, by the beginning of its code, when the statement is not to blame. */
const states: Readonly<Record<string, string>> = {
  '08': 'the connection failed',
  '25006': 'read-only: a standby, or a primary that has just become one',
  '25P03': 'the transaction was idle for too long, because we were',
  '53': 'out of disk, memory or connections',
  '57014': 'cancelled: it took too long, or an operator ended it',
  '57P0': 'starting, stopping, or the connection was ended',
  '58030': 'its disk fails',
};

/** What the driver says in words only. */
const sentences: readonly string[] = [
  'Connection terminated',
  'PostgreSQL does not answer',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

/** In each other's way even after several tries, or behind a lock for too long. Whoever waits gets no answer; nothing is wrong. */
const contended: readonly string[] = ['40001', '40P01', '55P03'];

const isAwayCode = new RegExp(`^(?:${[...Object.keys(line), ...Object.keys(states)].join('|')})`);
const isAwaySentence = new RegExp(sentences.join('|'));

/** Whether PostgreSQL could not be asked, or cannot do what it is asked at the moment: the same may work a little later. */
export function isAway(error: unknown): boolean {
  return someCause(error, ({ code, message }) => isAwayCode.test(code) || isAwaySentence.test(message));
}

/** Whether others were in the way: the same may work at once, and whoever sent it should send it again. */
export function isContended(error: unknown): boolean {
  return someCause(error, ({ code }) => contended.includes(code));
}

/** Whether a statement was given up because it took too long. That can be its own fault: less at once may work now. */
export function wasTooSlow(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '57014' || message === 'Query read timeout';
}

/** Libraries between us and the driver wrap what it threw. */
function someCause(error: unknown, isIt: (one: { code: string; message: string }) => boolean): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const { code } = cause as { code?: unknown };
    if (isIt({ code: typeof code === 'string' ? code : '', message: cause.message })) return true;
  }
  return false;
}
