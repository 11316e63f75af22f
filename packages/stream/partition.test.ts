import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partitionOf } from './partition.ts';

test('a key has the same partition in every version of the program', () => {
  expect(['', 'profile-1:visitor-1', 'profile-1:visitor-2', 'ação'].map((key) => partitionOf(key, 16))).toEqual([
    0, 14, 4, 1,
  ]);
});

test('every key has a partition in range', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 1_024 }), (key, partitions) => {
      const partition = partitionOf(key, partitions);
      expect([Number.isInteger(partition), partition >= 0, partition < partitions]).toEqual([true, true, true]);
    }),
  );
});

test('distributes visitors evenly over the partitions', () => {
  const visitors = Array.from({ length: 16_000 }, (_, index) => partitionOf(`profile:${index}`, 16));
  const counts = Object.values(Object.groupBy(visitors, (partition) => partition)).map((group) => group?.length ?? 0);
  expect(counts).toHaveLength(16);
  expect(Math.min(...counts)).toBeGreaterThan(800);
  expect(Math.max(...counts)).toBeLessThan(1_200);
});
