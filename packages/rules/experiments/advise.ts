import { type Measured, normalBelow } from './people.ts';

export interface Advice {
  readonly action: 'raise' | 'lower' | 'leave';
  /** The probability that the return is on that side of break-even; for `leave`, of the more probable side. */
  readonly chance: number;
}

/** Recommends a change only with sufficient probability that a campaign returns more, or less, than it costs. */
export function advise(caused: Measured, spend: number, breakEven: number, sureness: number): Advice {
  if (spend <= 0 || caused.error <= 0) return { action: 'leave', chance: 0.5 };
  const earns = normalBelow((caused.value - spend * breakEven) / caused.error);
  const chance = Math.max(earns, 1 - earns);
  return { action: chance < sureness ? 'leave' : earns > 0.5 ? 'raise' : 'lower', chance };
}
