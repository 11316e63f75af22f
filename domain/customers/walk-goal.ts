import type { LookedAt, Position, Stretch } from './goal-reader.ts';

export interface Walk {
  readonly from: Position;
  readonly limit: number;
  /** How many may be looked at in one answer. */
  readonly most: number;
  readonly read: (before: Position, most: number) => Promise<Stretch>;
  /** Those of a stretch that are wanted. */
  readonly keep: (looked: readonly LookedAt[]) => Promise<readonly LookedAt[]>;
}

export interface Walked {
  readonly found: readonly LookedAt[];
  /** Where to go on; null: nothing was found, and nothing is left. */
  readonly through: Position | null;
  readonly isMore: boolean;
}

/**
 * Walks down the conversions until a page is full, the end is reached, or enough was looked at: where few of many are wanted, a
 * page may be short, and the next one goes on where this one stopped looking.
 */
export async function walkGoal({ from, limit, most, read, keep }: Walk): Promise<Walked> {
  const found: LookedAt[] = [];
  let before = from;
  let seen = 0;
  // The first look is for a page of nothing but goals, and one more to know whether there is another.
  let step = limit + 1;
  while (seen < most) {
    const { looked, seen: ofStep, isEnd } = await read(before, step);
    found.push(...(await keep(looked.filter(({ isGoal }) => isGoal))));
    if (found.length > limit) return { found: found.slice(0, limit), through: found[limit - 1] ?? null, isMore: true };
    if (isEnd) return { found, through: found.at(-1) ?? null, isMore: false };
    before = looked.at(-1) ?? before;
    seen += ofStep;
    step = Math.min(step * 4, largestStep);
  }
  return { found, through: before, isMore: true };
}

const largestStep = 2_000;
