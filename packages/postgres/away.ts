/** Whether PostgreSQL could not be asked (refused, lost, starting, stopping, no connection free): the same may work a little later. */
export function isAway(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|57P0|08|53300)/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout/.test(message)
  );
}
