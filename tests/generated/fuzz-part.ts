import type { ClickHouse } from '@tributary/clickhouse';
import { type Route, routes } from '@tributary/contract';
import { openApi, openDrillKit, openWarehouse, type Testkit } from '@tributary/testkit';
import { type Failure, Fuzzer } from './fuzz.ts';
import { heapMegabytes } from './heap.ts';
import { parserTargets } from './parsers/index.ts';
import { type ParserResult, tryParser } from './parsers/target.ts';
import { openParserWorld } from './parsers/world.ts';
import { openCollectorTarget, targetOf } from './targets.ts';
import { buildWorld } from './world.ts';

export interface PartOptions {
  /** The name of this part's own set of engines. */
  readonly set: string;
  /** The seed of the first batch; each further batch adds one. */
  readonly seed: number;
  readonly requests: number;
  /** Inputs per parser, after the requests. */
  readonly inputs: number;
}

export interface PartResult {
  readonly requests: number;
  readonly byStatus: Record<string, number>;
  readonly byStatusOfCollector: Record<string, number>;
  readonly offSchema: number;
  readonly serverErrors: number;
  readonly heapStart: number;
  readonly heapEnd: number;
  readonly unreached: string[];
  readonly dearest: { readonly cpu_ms: number; readonly request: string };
  readonly failures: readonly Failure[];
  readonly parsers: readonly ParserResult[];
}

const batchSize = 1_000;
/** Requests per batch to the collector, which has only two routes. */
const collectorRequests = 100;

/** One process's share of a fuzz run, against its own API and engines. */
export async function fuzzPart(
  { set, seed, requests, inputs }: PartOptions,
  progress: (done: number, faults: number) => void,
): Promise<PartResult> {
  const kit = await openDrillKit(set, ['postgres', 'redis', 'clickhouse', 'nats']);
  try {
    const warehouse = await openWarehouse(kit);
    const api = await openApi(kit);
    const collector = await openCollectorTarget(kit);
    const fuzzers = [
      new Fuzzer({ ...(await targetOf(api)), routes: Object.values<Route>(routes) }, () => buildWorld(kit)),
      new Fuzzer(collector, () => buildWorld(kit)),
    ] as const;
    const found = () => fuzzers.flatMap(({ failures }) => failures);
    let heapStart = 0;
    const printed = new Set<Failure>();
    for (let done = 0; done < requests; done += batchSize) {
      // By now, everything that is created only once exists; from here on the heap must not grow.
      if (done === requests / 10) heapStart = heapMegabytes();
      await fuzzers[0].batch(seed + done / batchSize, batchSize - collectorRequests);
      await fuzzers[1].batch(seed + done / batchSize, collectorRequests);
      progress(done + batchSize, found().length);
      // Printed at once, so that a long run shows failures early.
      for (const failure of found().filter((one) => !printed.has(one))) {
        printed.add(failure);
        console.error(JSON.stringify(failure));
      }
    }
    const heapEnd = heapMegabytes();
    await Promise.all([api.close(), collector.close()]);
    const parsers = await tryParsers(kit, warehouse.client, { seed, inputs });
    await warehouse.drop();
    const sum = (count: (fuzzer: Fuzzer) => number) => fuzzers.reduce((total, fuzzer) => total + count(fuzzer), 0);
    const byStatus: Record<string, number> = {};
    for (const [status, count] of fuzzers.flatMap((fuzzer) => Object.entries(fuzzer.byStatus)))
      byStatus[status] = (byStatus[status] ?? 0) + count;
    const [dearest] = fuzzers.map((fuzzer) => fuzzer.dearest).sort((a, b) => b.cpu_ms - a.cpu_ms);
    return {
      requests: sum(({ counts }) => counts.requests),
      byStatus,
      byStatusOfCollector: fuzzers[1].byStatus,
      offSchema: sum(({ counts }) => counts.off_schema),
      serverErrors: sum(({ counts }) => counts.server_error),
      heapStart,
      heapEnd,
      unreached: fuzzers.flatMap((fuzzer) => fuzzer.unreached()),
      dearest: dearest ?? { cpu_ms: 0, request: '' },
      failures: found(),
      parsers,
    };
  } finally {
    await kit.close();
  }
}

async function tryParsers(kit: Testkit, clickhouse: ClickHouse, { seed, inputs }: { seed: number; inputs: number }) {
  const world = await openParserWorld(kit, clickhouse);
  try {
    const results: ParserResult[] = [];
    for (const target of await parserTargets(world)) {
      const result = await tryParser(target, { seed, inputs });
      if (result.failure) console.error(JSON.stringify(result));
      results.push(result);
    }
    return results;
  } finally {
    await world.close();
  }
}

// As a child process of the drill, it reports its progress and finally its result.
if (process.send && process.argv[1] === import.meta.filename) {
  const options = JSON.parse(process.argv[2] ?? '{}') as PartOptions;
  const result = await fuzzPart(options, (done, faults) => process.send?.({ done, faults }));
  process.send({ result }, () => process.exit(0));
}
