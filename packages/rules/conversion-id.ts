/**
 * Derives a conversion's public id from its outcome's id by flipping two bits of the UUID version. The ids differ, so
 * a caller cannot confuse them, and no mapping has to be stored: versions 5 and 7 become 6 and 4, and flipping again
 * restores them.
 */
export const conversionIdOf = (outcomeId: string): string => flipVersionBits(outcomeId);

/** Returns the outcome of a conversion's public id. */
export const outcomeIdOf = (conversionId: string): string => flipVersionBits(conversionId);

const versionAt = 14;

function flipVersionBits(id: string): string {
  const version = Number.parseInt(id.charAt(versionAt), 16) ^ 3;
  return id.slice(0, versionAt) + version.toString(16) + id.slice(versionAt + 1);
}
