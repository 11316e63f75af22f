import { type Clock, systemClock } from '@tributary/clock';

/** A clock that can also wake somebody up. */
export interface Timers extends Clock {
  /** Runs it after so many milliseconds; what it returns calls that off. */
  after(milliseconds: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  now: () => systemClock.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
