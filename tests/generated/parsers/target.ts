import fc from 'fast-check';
import { heapMegabytes } from '../heap.ts';

/** Code that reads what a stranger wrote, and the inputs that it is tried with. */
export interface ParserTarget<Input = unknown> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /** Resolves to what is wrong; undefined when the input was read, or refused as documented. A rejection is a fault, too. */
  check(input: Input): Promise<string | undefined>;
  /** For targets whose input is larger than a request. */
  readonly mostCpuMs?: number;
}

export interface ParserResult {
  readonly target: string;
  readonly inputs: number;
  readonly slowest_cpu_ms: number;
  readonly heap_mb_grown: number;
  /** With the seed, the path and the smallest input that fails alike. */
  readonly failure?: string;
}

export const parserBounds = {
  /** Of the processor, for one input. */
  cpuMs: 500,
  /** Of what is left after a collection; engines and drivers keep some buffers. */
  heapMb: 40,
  /** Until an input counts as one that hangs. */
  wallMs: 20_000,
} as const;

const shrinkMs = 5_000;
const mostReportCharacters = 3_000;

/** A target of any input, as lists hold it. */
export const parserTarget = <Input>(target: ParserTarget<Input>): ParserTarget => target as ParserTarget;

/** Tries a target with so many inputs of a seed. */
export async function tryParser(
  target: ParserTarget,
  { seed, inputs: numRuns }: { readonly seed: number; readonly inputs: number },
): Promise<ParserResult> {
  const mostCpuMs = target.mostCpuMs ?? parserBounds.cpuMs;
  let slowest = 0;
  let failedAt = 0;
  let inputs = 0;
  const before = heapMegabytes();
  const holds = fc.asyncProperty(target.inputs, async (input) => {
    // The smallest input is worth a few seconds, not minutes.
    if (failedAt > 0 && performance.now() - failedAt > shrinkMs) return;
    inputs += 1;
    try {
      // A collection of garbage may fall into one try, not into each of three.
      let least = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 3 && least > mostCpuMs; attempt += 1) {
        const used = process.cpuUsage();
        const wrong = await inTime(target.check(input));
        const { user, system } = process.cpuUsage(used);
        least = Math.min(least, (user + system) / 1_000);
        if (wrong !== undefined) throw new Error(wrong);
      }
      if (least > mostCpuMs) throw new Error(`one input cost ${Math.round(least)} ms of the processor`);
      slowest = Math.max(slowest, least);
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
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, mostReportCharacters);

/** Bytes as Latin-1, in which each of them can be seen. */
const describeInput = (input: unknown): string =>
  JSON.stringify(input, (_, value) =>
    value?.type === 'Buffer' && Array.isArray(value.data) ? Buffer.from(value.data).toString('latin1') : value,
  ).slice(0, mostReportCharacters);

async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no end within ${parserBounds.wallMs} ms`)), parserBounds.wallMs);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
