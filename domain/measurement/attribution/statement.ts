import { declaredMedium, hourWeights, minuteWeights } from '@tributary/rules';
import { devices, limits } from '@tributary/vocabulary';

/** Parameters of attribution_attribute.sql besides the batch: tables and limits of packages/rules and packages/vocabulary. */
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

/** The range of 16-bit customer hashes in one bucket. */
export const bucketOf = (nth: number, buckets: number) => ({
  first_bucket: Math.ceil((nth * hashes) / buckets),
  last_bucket: Math.ceil(((nth + 1) * hashes) / buckets) - 1,
});

export const allBuckets = bucketOf(0, 1);

/** At most one bucket per 16-bit hash. */
export const mostBuckets = hashes;
