type Check = () => Promise<unknown>;

/** Checks of the services that the process uses, by name. */
export interface Readiness {
  /** The process cannot work without these. */
  readonly needs: Readonly<Record<string, Check>>;
  /** The process works partly without these; `without` describes what does not work. */
  readonly uses?: Readonly<Record<string, { readonly check: Check; readonly without: string }>>;
}

export interface ReadinessAnswer {
  readonly status: 200 | 503;
  readonly body: {
    readonly status: 'ready' | 'degraded' | 'not ready' | 'stopping';
    readonly engines: Readonly<Record<string, 'up' | 'away'>>;
    /** Unavailable services that are not required, and the consequence of each. */
    readonly degraded?: Readonly<Record<string, string>>;
  };
}

const patienceMs = 2_000;
/** Callers share a result for this long. The endpoint is public and a check writes to PostgreSQL. */
const freshMs = 1_000;

/** Creates the handler of /readyz. */
export function readinessChecker(
  { needs, uses = {} }: Readiness,
  isStopping: () => boolean,
): () => Promise<ReadinessAnswer> {
  let states: ReturnType<typeof checkAll> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const checkAll = () =>
    Promise.all([
      askAll(Object.entries(needs)),
      askAll(Object.entries(uses).map(([name, { check }]) => [name, check])),
    ]);
  const latest = () => {
    if (states && performance.now() - checkedAt < freshMs) return states;
    // A running check is shared until it ends.
    checkedAt = Number.POSITIVE_INFINITY;
    states = checkAll().finally(() => {
      checkedAt = performance.now();
    });
    return states;
  };
  return async () => {
    const [needed, used] = await latest();
    const isReady = !isStopping() && needed.every(([, state]) => state === 'up');
    const lacking = used.flatMap(([name, state]) => (state === 'away' ? [[name, uses[name]?.without ?? '']] : []));
    const status = lacking.length > 0 ? 'degraded' : 'ready';
    return {
      status: isReady ? 200 : 503,
      body: {
        status: isStopping() ? 'stopping' : isReady ? status : 'not ready',
        engines: Object.fromEntries([...needed, ...used]),
        ...(lacking.length > 0 && { degraded: Object.fromEntries(lacking) }),
      },
    };
  };
}

const askAll = (checks: readonly (readonly [string, Check])[]): Promise<[string, 'up' | 'away'][]> =>
  Promise.all(
    checks.map(
      async ([name, check]): Promise<[string, 'up' | 'away']> => [
        name,
        (await answersWithin(check, patienceMs)) ? 'up' : 'away',
      ],
    ),
  );

async function answersWithin(check: Check, timeoutMs: number): Promise<boolean> {
  const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, timeoutMs, false).unref());
  return Promise.race([
    check().then(
      () => true,
      () => false,
    ),
    timeout,
  ]);
}
