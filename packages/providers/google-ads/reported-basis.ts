/** How Google Ads counts conversions. Each conversion action has a model and a window of its own. */
export const reportedBasis =
  "primary conversion actions, by each action's own model and window, on the day of the click";
