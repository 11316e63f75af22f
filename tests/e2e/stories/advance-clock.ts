import { LedgerClock } from '@tributary/clock/ledger-clock.ts';

/**
 * Loaded with `--import` into a process of an installation whose clock a story advances: the process then reads a time that is ahead by as many
 * milliseconds as its parent sent.
 */
const System = globalThis.Date;
let aheadMs = 0;

class AdvancedDate extends System {
  constructor(...parts: [] | [number | string | Date]) {
    super(...((parts.length === 0 ? [AdvancedDate.now()] : parts) as [number]));
  }

  static override now(): number {
    return System.now() + aheadMs;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Function.prototype[Symbol.hasInstance].call(System, value);
  }
}

globalThis.Date = AdvancedDate as DateConstructor;
// PostgreSQL's clock is not advanced, so the process must not correct its clock to it.
LedgerClock.prototype.now = () => new Date();
Object.defineProperty(LedgerClock.prototype, 'skewMs', { get: () => 0 });
process.on('message', (milliseconds: number) => {
  aheadMs = milliseconds;
});
process.channel?.unref();
