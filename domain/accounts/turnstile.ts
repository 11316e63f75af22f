import { refuse } from '@tributary/operations';

/** A flood of sign-ins waits here, and past a point is told so, instead of taking memory and threads from everything else. */
export function turnstile(atOnce: number, mostWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < atOnce) running += 1;
    else if (waiting.length < mostWaiting) await new Promise<void>((go) => waiting.push(go));
    else {
      refuse('service_unavailable', 'Too many people are signing in at this moment. Try again shortly.', {
        headers: { 'retry-after': '5' },
      });
    }
    try {
      return await work();
    } finally {
      // Whoever waited longest takes the place over; only an empty queue frees it.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
