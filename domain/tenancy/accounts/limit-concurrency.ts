import { refuse } from '@tributary/operations';

/** Limits concurrent work and queues the rest. Refuses beyond `maxWaiting`, so that a flood of sign-ins does not exhaust memory and threads. */
export function limitConcurrency(maxConcurrent: number, maxWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < maxConcurrent) running += 1;
    else if (waiting.length < maxWaiting) await new Promise<void>((start) => waiting.push(start));
    else {
      refuse('service_unavailable', 'Too many people are signing in at this moment. Try again shortly.', {
        headers: { 'retry-after': '5' },
      });
    }
    try {
      return await work();
    } finally {
      // Hands the slot to the longest waiting item; an empty queue frees it.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
