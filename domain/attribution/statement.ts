import { hourWeights, minuteWeights } from '@tributary/rules';
import { devices, limits } from '@tributary/vocabulary';

/** What attribution_attribute.sql takes besides a batch: the tables and numbers of packages/rules and packages/vocabulary. */
export const statementTables = {
  hour_weights: hourWeights,
  minute_weights: minuteWeights,
  devices: devices.filter((device) => device !== 'unknown'),
  path_touches: limits.path.touches,
  same_click_ms: limits.sameClick.minutes * 60_000,
  /** No model is fitted yet. */
  model_versions: {},
};
