/** CPU time of this thread so far. Wall-clock time would include other load on the machine. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
