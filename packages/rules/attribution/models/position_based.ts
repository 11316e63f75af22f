import type { Weigh } from './weigh.ts';

/** 40%, 20% and 40%: the middle 20% are divided among all touches between the first and the last. */
export const positionBased: Weigh = ({ length }) => {
  if (length <= 2) return Array.from({ length }, () => 1n);
  const end = 2n * BigInt(length - 2);
  return Array.from({ length }, (_, index) => (index === 0 || index === length - 1 ? end : 1n));
};
