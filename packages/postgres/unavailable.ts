/** Network error codes by prefix that mean that PostgreSQL is unreachable at the moment. */
const networkErrors: Readonly<Record<string, string>> = {
  ECONN: 'refused, reset or cut off',
  EPIPE: 'cut off during a write',
  ETIMEDOUT: 'the connection attempt got no answer',
  ENOTFOUND: 'unknown host name: a container that restarts has none for a moment',
  EAI_AGAIN: 'the DNS resolver does not answer',
  EAI_FAIL: 'the DNS resolver failed',
  EHOSTUNREACH: 'no route to the host',
  EHOSTDOWN: 'the host is down',
  ENETUNREACH: 'no route to its network',
  ENETDOWN: 'the local network is down',
  EADDRNOTAVAIL: 'all local ports are in use',
};

/** SQLSTATE codes by prefix that mean that the server, not the statement, is the problem. */
const serverErrors: Readonly<Record<string, string>> = {
  '08': 'the connection failed',
  '25006': 'read-only: a standby, or a primary that has just become one',
  '25P03': 'the transaction was idle for too long because this process was',
  '53': 'out of disk, memory or connections',
  '57014': 'cancelled: it took too long, or an operator ended it',
  '57P0': 'starting, stopping, or the connection was ended',
  '58030': 'I/O error of its disk',
};

/** Errors that the driver reports only as text. */
const driverMessages: readonly string[] = [
  'Connection terminated',
  'PostgreSQL does not answer',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

/**
 * Serialization failures and deadlocks that persisted over several tries, and lock timeouts. The caller gets no result; nothing is broken.
 */
const contended: readonly string[] = ['40001', '40P01', '55P03'];

const isAwayCode = new RegExp(`^(?:${[...Object.keys(networkErrors), ...Object.keys(serverErrors)].join('|')})`);
const isAwayMessage = new RegExp(driverMessages.join('|'));

/** Whether PostgreSQL was unreachable or temporarily unable to run the statement, so that a later retry can succeed. */
export function isUnavailable(error: unknown): boolean {
  return someCause(error, ({ code, message }) => isAwayCode.test(code) || isAwayMessage.test(message));
}

/** Whether concurrent transactions got in the way: an immediate retry can succeed, and the sender should send the request again. */
export function isContended(error: unknown): boolean {
  return someCause(error, ({ code }) => contended.includes(code));
}

/** Whether a statement was cancelled because it took too long. The statement itself can be the cause: a smaller batch may succeed now. */
export function wasTooSlow(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '57014' || message === 'Query read timeout';
}

/** Libraries between this code and the driver wrap its errors. */
function someCause(error: unknown, matches: (cause: { code: string; message: string }) => boolean): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const { code } = cause as { code?: unknown };
    if (matches({ code: typeof code === 'string' ? code : '', message: cause.message })) return true;
  }
  return false;
}
