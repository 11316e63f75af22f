import { limits } from '@tributary/vocabulary';

const { maxChangePercent, floorMinorUnits } = limits.budgetStep;

/** The reason why a budget change is out of bounds; undefined if it is allowed. The bounds themselves are allowed. */
export function checkBudget(current: bigint, wanted: bigint): string | undefined {
  if (wanted < BigInt(floorMinorUnits)) return `A daily budget is at least ${floorMinorUnits} minor units.`;
  const step = wanted > current ? wanted - current : current - wanted;
  if (step * 100n > current * BigInt(maxChangePercent))
    return `One call moves a budget by up to ${maxChangePercent} percent of what is live, which is ${current} minor units.`;
  return undefined;
}
