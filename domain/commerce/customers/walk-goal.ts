import type { Position, ScannedOutcome, ScannedRange } from './goal-reader.ts';

export interface GoalScan {
  readonly from: Position;
  readonly limit: number;
  /** The number of outcomes that one request may scan. */
  readonly most: number;
  readonly read: (before: Position, most: number) => Promise<ScannedRange>;
  /** Filters the outcomes that belong in the result. */
  readonly keep: (outcomes: readonly ScannedOutcome[]) => Promise<readonly ScannedOutcome[]>;
}

export interface GoalPage {
  readonly found: readonly ScannedOutcome[];
  /** The position to continue at; null when nothing was found and nothing is left. */
  readonly through: Position | null;
  readonly isMore: boolean;
}

/**
 * Scans conversions until the page is full, the end is reached, or the scan limit is hit. If few of many match, a page may be short, and the
 * next one continues where this scan stopped.
 */
export async function walkGoal({ from, limit, most, read, keep }: GoalScan): Promise<GoalPage> {
  const found: ScannedOutcome[] = [];
  let before = from;
  let scanned = 0;
  // Starts with the size of a page, plus one to know whether another page follows.
  let step = limit + 1;
  while (scanned < most) {
    const { outcomes, scannedCount, isEnd } = await read(before, step);
    found.push(...(await keep(outcomes.filter(({ isGoal }) => isGoal))));
    if (found.length > limit) return { found: found.slice(0, limit), through: found[limit - 1] ?? null, isMore: true };
    if (isEnd) return { found, through: found.at(-1) ?? null, isMore: false };
    before = outcomes.at(-1) ?? before;
    scanned += scannedCount;
    step = Math.min(step * 4, largestStep);
  }
  return { found, through: before, isMore: true };
}

const largestStep = 2_000;
