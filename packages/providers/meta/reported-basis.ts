/** How Meta counts conversions. Ad sets may have another attribution setting. */
export const reportedBasis = "each ad set's own attribution setting, 7-day click and 1-day view unless it was changed";
