import { type Measured, normalBelow } from './people.ts';

export interface Advised {
  readonly action: 'raise' | 'lower' | 'leave';
  /** How sure it is that the return lies on that side of break-even; of one that is left, the surer side. */
  readonly chance: number;
}

/** Acts only where it is sure enough that a campaign returns more, or less, than it costs. */
export function advise(caused: Measured, spend: number, breakEven: number, sureness: number): Advised {
  if (spend <= 0 || caused.error <= 0) return { action: 'leave', chance: 0.5 };
  const earns = normalBelow((caused.value - spend * breakEven) / caused.error);
  const chance = Math.max(earns, 1 - earns);
  return { action: chance < sureness ? 'leave' : earns > 0.5 ? 'raise' : 'lower', chance };
}
