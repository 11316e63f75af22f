/** Processor time of this thread so far. On a busy machine the clock on the wall counts what others do, too. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
