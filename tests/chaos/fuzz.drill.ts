import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Route, routes } from '@tributary/contract';
import { engineNames } from '@tributary/engines';
import { type Drill, openApi, openDrillKit } from '@tributary/testkit';
import { Fuzzer } from '../generated/fuzz.ts';
import { buildWorld } from '../generated/world.ts';

const sizes = { small: 20_000, full: 1_000_000 } as const;
const batchSize = 1_000;

/** A failure names its seed. Given here, that seed makes the first batch. */
const firstSeed = Number(process.env.FUZZ_SEED ?? 20_260_615);

/** Requests made of the declarations, most of them bent out of shape, to every route that is declared. */
export const drill: Drill = {
  name: 'fuzz',
  promise: 'Whatever is sent, the answer is one that the route declares, never a 5xx, and no memory stays behind.',

  async run({ size, progress }) {
    const requests = sizes[size];
    const kit = await openDrillKit('drill-fuzz', engineNames);
    try {
      const api = await openApi(kit);
      await api.fastify.listen({ port: 0, host: '127.0.0.1' });
      const fuzzer = new Fuzzer({ ...api, routes: Object.values<Route>(routes) }, () => buildWorld(kit));
      const heap = { start: 0, end: 0 };
      for (let done = 0; done < requests; done += batchSize) {
        // What is made and compiled once is there by then; from there on nothing may pile up.
        if (done === requests / 10) heap.start = heapMegabytes();
        await fuzzer.batch(firstSeed + done / batchSize, batchSize);
        progress(done + batchSize, requests, `${fuzzer.failures.length} kinds of faults`);
      }
      heap.end = heapMegabytes();
      await api.close();

      const { counts, byStatus, failures } = fuzzer;
      const share = (pattern: RegExp) =>
        Object.entries(byStatus).reduce((sum, [status, count]) => sum + (pattern.test(status) ? count : 0), 0) /
        requests;
      return {
        passed:
          counts.off_schema === 0 &&
          counts.server_error === 0 &&
          heap.end < heap.start * 1.2 + 20 &&
          // Requests that all fail at the door would prove nothing of the house.
          share(/^2/) > 0.1 &&
          share(/^429$/) < 0.1,
        requests: counts.requests,
        seed: firstSeed,
        by_status: byStatus,
        off_schema: counts.off_schema,
        server_errors: counts.server_error,
        heap_mb_start: heap.start,
        heap_mb_end: heap.end,
        unreached: fuzzer.unreached(),
        ...(failures.length > 0 && { failures }),
      };
    } finally {
      await kit.close();
    }
  },
};

/** What is still held after a collection, which has to be asked for by name. */
function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return Math.round((process.memoryUsage().heapUsed / 1024 / 1024) * 10) / 10;
}
