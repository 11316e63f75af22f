/** Errors of the connection, by their beginnings: refused, reset, unreachable, or a name that cannot be looked up at the moment. */
const lost = ['ECONN', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/**
 * What PostgreSQL says when the statement is not to blame: 08 connection, 53 out of disk, memory or connections, 57P0 starting or
 * stopping, 25006 read-only (a standby, or a primary that has just become one), 57014 cancelled because it took too long.
 */
const states = ['08', '53', '57P0', '25006', '57014'];

const isAwayCode = new RegExp(`^(?:${[...lost, ...states].join('|')})`);

/** Whether PostgreSQL could not be asked, or cannot do what it is asked at the moment: the same may work a little later. */
export function isAway(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code && isAwayCode.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout/.test(message)
  );
}

/** Whether a statement was given up because it took too long. That can be its own fault: less at once may work now. */
export function wasTooSlow(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '57014' || message === 'Query read timeout';
}
