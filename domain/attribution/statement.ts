import { declaredMedium, hourWeights, minuteWeights } from '@tributary/rules';
import { devices, limits } from '@tributary/vocabulary';

/** What attribution_attribute.sql takes besides a batch: the tables and numbers of packages/rules and packages/vocabulary. */
export const statementTables = {
  hour_weights: hourWeights,
  minute_weights: minuteWeights,
  devices: devices.filter((device) => device !== 'unknown'),
  path_touches: limits.path.touches,
  same_click_ms: limits.sameClick.minutes * 60_000,
  declared_medium: declaredMedium,
  /** No model is fitted yet. */
  model_versions: {},
};

const hashes = 65_536;

/** The hashes of the people who are in one of so many buckets, as the statement takes them. */
export const bucketOf = (nth: number, buckets: number) => ({
  first_bucket: Math.ceil((nth * hashes) / buckets),
  last_bucket: Math.ceil(((nth + 1) * hashes) / buckets) - 1,
});

export const allBuckets = bucketOf(0, 1);

/** More cannot be told apart. */
export const mostBuckets = hashes;
