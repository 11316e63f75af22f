import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Heap size after garbage collection. `gc` is only available with a V8 flag. */
export function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return Math.round((process.memoryUsage().heapUsed / 1024 / 1024) * 10) / 10;
}
