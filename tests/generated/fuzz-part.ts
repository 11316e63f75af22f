import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Route, routes } from '@tributary/contract';
import { openApi, openDrillKit, openWarehouse } from '@tributary/testkit';
import { type Failure, Fuzzer } from './fuzz.ts';
import { buildWorld } from './world.ts';

export interface PartOptions {
  /** The engines of its own. */
  readonly set: string;
  /** Makes the first batch; each further one has the next. */
  readonly seed: number;
  readonly requests: number;
}

export interface PartResult {
  readonly requests: number;
  readonly byStatus: Record<string, number>;
  readonly offSchema: number;
  readonly serverErrors: number;
  readonly heapStart: number;
  readonly heapEnd: number;
  readonly unreached: string[];
  readonly dearest: { readonly cpu_ms: number; readonly request: string };
  readonly failures: readonly Failure[];
}

const batchSize = 1_000;

/** One process's share of a fuzz, against an API and engines of its own. */
export async function fuzzPart(
  { set, seed, requests }: PartOptions,
  progress: (done: number, faults: number) => void,
): Promise<PartResult> {
  const kit = await openDrillKit(set, ['postgres', 'redis', 'clickhouse']);
  try {
    const warehouse = await openWarehouse(kit);
    const api = await openApi(kit);
    await api.fastify.listen({ port: 0, host: '127.0.0.1' });
    const fuzzer = new Fuzzer({ ...api, routes: Object.values<Route>(routes) }, () => buildWorld(kit));
    let heapStart = 0;
    let told = 0;
    for (let done = 0; done < requests; done += batchSize) {
      // What is made and compiled once is there by then; from there on nothing may pile up.
      if (done === requests / 10) heapStart = heapMegabytes();
      await fuzzer.batch(seed + done / batchSize, batchSize);
      progress(done + batchSize, fuzzer.failures.length);
      // Told at once: the rest of a long run need not be waited for.
      for (const failure of fuzzer.failures.slice(told)) console.error(JSON.stringify(failure));
      told = fuzzer.failures.length;
    }
    const heapEnd = heapMegabytes();
    await api.close();
    await warehouse.drop();
    const { counts, byStatus, failures } = fuzzer;
    return {
      requests: counts.requests,
      byStatus,
      offSchema: counts.off_schema,
      serverErrors: counts.server_error,
      heapStart,
      heapEnd,
      unreached: fuzzer.unreached(),
      dearest: fuzzer.dearest,
      failures,
    };
  } finally {
    await kit.close();
  }
}

/** What is still held after a collection, which has to be asked for by name. */
function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return Math.round((process.memoryUsage().heapUsed / 1024 / 1024) * 10) / 10;
}

// Started as a process by the drill, it tells how far it is, and in the end what it found.
if (process.send && process.argv[1] === import.meta.filename) {
  const options = JSON.parse(process.argv[2] ?? '{}') as PartOptions;
  const result = await fuzzPart(options, (done, faults) => process.send?.({ done, faults }));
  process.send({ result }, () => process.exit(0));
}
