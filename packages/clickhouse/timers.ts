import { type Clock, systemClock } from '@tributary/clock';

/** A clock with timers. */
export interface Timers extends Clock {
  /** Runs the function after the given time. The returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  now: () => systemClock.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
