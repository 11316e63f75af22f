import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Drill } from '@tributary/testkit';
import { fuzzPart, type PartOptions, type PartResult } from '../generated/fuzz-part.ts';

/** Requests to the declared routes, and inputs for each of the other parsers in each process. */
const sizes = {
  small: { requests: 10_000, processes: 1, inputs: 25 },
  full: { requests: 1_000_000, processes: 2, inputs: 2_000 },
} as const;

/** CPU limit for one request. Crafted URLs once took 2 to 3 s. */
const maxCpuMs = 500;

/** Failures report their seed. Set FUZZ_SEED to that seed to generate its batch first. */
const firstSeed = Number(process.env.FUZZ_SEED ?? 20_260_615);

/**
 * Sends mutated requests to every declared route of the API and the collector. Then feeds mutated input to all other parsers of untrusted data:
 * provider webhooks and responses, forms, MCP messages, cursors, CSV, images and tokens.
 */
export const drill: Drill = {
  name: 'fuzz',
  promise:
    'For any input, a route returns a declared response and never a 5xx, within CPU limits and without leaking memory; no other parser fails either.',

  async run({ size, progress }) {
    const { requests, processes, inputs } = sizes[size];
    const done = new Array<number>(processes).fill(0);
    const faults = new Array<number>(processes).fill(0);
    const total = (counts: readonly number[]) => counts.reduce((sum, one) => sum + one, 0);
    const reportProgress = (part: number) => (count: number, kinds: number) => {
      done[part] = count;
      faults[part] = kinds;
      progress(total(done), requests, `${total(faults)} kinds of faults`);
    };
    const share = requests / processes;
    const parts = await Promise.all(
      done.map((_, part) => {
        const options = { set: `drill-fuzz-${part}`, seed: firstSeed + part * 1_000_000, requests: share, inputs };
        return processes === 1 ? fuzzPart(options, reportProgress(part)) : inProcess(options, reportProgress(part));
      }),
    );

    const sum = (count: (part: PartResult) => number) => parts.reduce((total, part) => total + count(part), 0);
    const byStatus = sumCounts(parts.map((part) => part.byStatus));
    const shareOf = (pattern: RegExp) =>
      Object.entries(byStatus).reduce((total, [status, count]) => total + (pattern.test(status) ? count : 0), 0) /
      requests;
    const failures = parts.flatMap((part) => part.failures);
    const parsers = parts.flatMap((part) => part.parsers);
    const [slowest] = parsers.toSorted((a, b) => b.slowest_cpu_ms - a.slowest_cpu_ms);
    const failed = parsers.filter(({ failure }) => failure !== undefined);
    return {
      passed:
        sum((part) => part.offSchema) === 0 &&
        sum((part) => part.serverErrors) === 0 &&
        parsers.length > 0 &&
        failed.length === 0 &&
        parts.every(({ dearest }) => dearest.cpu_ms <= maxCpuMs) &&
        parts.every(({ heapStart, heapEnd }) => heapEnd < heapStart * 1.2 + 20) &&
        // If most requests were rejected early, the drill would prove nothing about the routes.
        shareOf(/^2/) > 0.1 &&
        shareOf(/^429$/) < 0.1,
      requests: sum((part) => part.requests),
      seed: firstSeed,
      by_status: byStatus,
      by_status_of_collector: sumCounts(parts.map((part) => part.byStatusOfCollector)),
      off_schema: sum((part) => part.offSchema),
      server_errors: sum((part) => part.serverErrors),
      heap_mb_start: parts.map(({ heapStart }) => heapStart),
      heap_mb_end: parts.map(({ heapEnd }) => heapEnd),
      dearest: parts.map(({ dearest }) => dearest),
      unreached: parts[0]?.unreached.filter((id) => parts.every((part) => part.unreached.includes(id))),
      parsers: parsers.length / processes,
      parser_inputs: parsers.reduce((total, one) => total + one.inputs, 0),
      slowest_parser: slowest && { target: slowest.target, cpu_ms: slowest.slowest_cpu_ms },
      ...(failures.length > 0 && { failures }),
      ...(failed.length > 0 && { failed_parsers: failed }),
    };
  },
};

function sumCounts(tables: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of tables.flatMap((table) => Object.entries(table))) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

function inProcess(options: PartOptions, progress: (done: number, faults: number) => void): Promise<PartResult> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, '../generated/fuzz-part.ts'), [JSON.stringify(options)]);
    child.on('message', (message: { done: number; faults: number } | { result: PartResult }) =>
      'result' in message ? resolve(message.result) : progress(message.done, message.faults),
    );
    child.once('exit', (code) => reject(new Error(`a fuzz process exited with code ${code}`)));
  });
}
