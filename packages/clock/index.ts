/** Code that needs the time receives a Clock, so that tests can set any time and no test depends on the day it runs. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is moved. */
export class FakeClock implements Clock {
  #milliseconds: number;

  constructor(start: Date | string) {
    this.#milliseconds = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.#milliseconds);
  }

  set(instant: Date | string): void {
    this.#milliseconds = new Date(instant).getTime();
  }

  advance(milliseconds: number): void {
    this.#milliseconds += milliseconds;
  }
}
