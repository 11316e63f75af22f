/** How Google Ads counts conversions. Each conversion action has its own model and window. */
export const reportedBasis =
  "primary conversion actions, by each action's own model and window, on the day of the click";
