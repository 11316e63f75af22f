import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What is still held after a collection, which has to be asked for by name. */
export function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return Math.round((process.memoryUsage().heapUsed / 1024 / 1024) * 10) / 10;
}
