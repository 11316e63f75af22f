import fc from 'fast-check';
import { heapMegabytes } from '../heap.ts';

/** A parser of untrusted input, with generated inputs. */
export interface ParserTarget<Input = unknown> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /** Resolves to a fault, or to undefined if the input was parsed or rejected as documented. A rejected promise is also a fault. */
  check(input: Input): Promise<string | undefined>;
  /** CPU limit for targets with larger inputs than a request. */
  readonly maxCpuMs?: number;
}

export interface ParserResult {
  readonly target: string;
  readonly inputs: number;
  readonly slowest_cpu_ms: number;
  readonly heap_mb_grown: number;
  /** With the seed, the path and the smallest failing input. */
  readonly failure?: string;
}

export const parserBounds = {
  /** CPU time of one input. */
  cpuMs: 500,
  /** Heap growth after garbage collection. Engines and drivers keep some buffers. */
  heapMb: 40,
  /** Timeout of one input. */
  wallMs: 20_000,
} as const;

const shrinkMs = 5_000;
const maxReportCharacters = 3_000;

/** Erases the input type, so that targets fit into one list. */
export const parserTarget = <Input>(target: ParserTarget<Input>): ParserTarget => target as ParserTarget;

/** Runs a target with generated inputs of a seed. */
export async function tryParser(
  target: ParserTarget,
  { seed, inputs: numRuns }: { readonly seed: number; readonly inputs: number },
): Promise<ParserResult> {
  const maxCpuMs = target.maxCpuMs ?? parserBounds.cpuMs;
  let slowest = 0;
  let failedAt = 0;
  let inputs = 0;
  const before = heapMegabytes();
  const holds = fc.asyncProperty(target.inputs, async (input) => {
    // Limits the search for the smallest failing input.
    if (failedAt > 0 && performance.now() - failedAt > shrinkMs) return;
    inputs += 1;
    try {
      // Takes the best of three attempts, because garbage collection may run during one.
      let fastest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 3 && fastest > maxCpuMs; attempt += 1) {
        const used = process.cpuUsage();
        const fault = await withTimeout(target.check(input));
        const { user, system } = process.cpuUsage(used);
        fastest = Math.min(fastest, (user + system) / 1_000);
        if (fault !== undefined) throw new Error(fault);
      }
      if (fastest > maxCpuMs) throw new Error(`one input used ${Math.round(fastest)} ms of CPU time`);
      slowest = Math.max(slowest, fastest);
    } catch (error) {
      failedAt ||= performance.now();
      throw error;
    }
  });
  const run = await fc.check(holds, { seed, numRuns });
  const grown = Math.round((heapMegabytes() - before) * 10) / 10;
  const failure = run.failed
    ? `${describeError(run.errorInstance)}; seed ${seed}, path ${run.counterexamplePath}: ${describeInput(run.counterexample)}`
    : grown > parserBounds.heapMb
      ? `the heap grew by ${grown} MB`
      : undefined;
  return {
    target: target.name,
    inputs,
    slowest_cpu_ms: Math.round(slowest),
    heap_mb_grown: grown,
    ...(failure !== undefined && { failure }),
  };
}

const describeError = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, maxReportCharacters);

/** Shows bytes as Latin-1, so that each byte is visible. */
const describeInput = (input: unknown): string =>
  JSON.stringify(input, (_, value) =>
    value?.type === 'Buffer' && Array.isArray(value.data) ? Buffer.from(value.data).toString('latin1') : value,
  ).slice(0, maxReportCharacters);

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no end within ${parserBounds.wallMs} ms`)), parserBounds.wallMs);
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
