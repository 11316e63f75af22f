/** Each engine by name, and how to ask whether it answers. */
export type Readiness = Readonly<Record<string, () => Promise<unknown>>>;

/** The answer of /readyz. */
export async function checkReadiness(
  readiness: Readiness,
  isStopping: () => boolean,
): Promise<{ status: number; body: { status: string; engines: Record<string, string> } }> {
  const checks = await Promise.all(
    Object.entries(readiness).map(async ([name, check]) => [name, await answersWithin(check, 2_000)] as const),
  );
  const isReady = !isStopping() && checks.every(([, isUp]) => isUp);
  return {
    status: isReady ? 200 : 503,
    body: {
      status: isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready',
      engines: Object.fromEntries(checks.map(([name, isUp]) => [name, isUp ? 'up' : 'away'])),
    },
  };
}

async function answersWithin(check: () => Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, timeoutMs, false).unref());
  return Promise.race([
    check().then(
      () => true,
      () => false,
    ),
    timeout,
  ]);
}
