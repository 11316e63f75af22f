sums
