/**
 * The id by which a conversion is known outside. It is its outcome's with two bits of the version turned, so that it is another id
 * (a caller never takes one for the other), and no store has to remember which belongs to which: versions 5 and 7 become 6 and 4,
 * and turned once more they are what they were.
 */
export const conversionIdOf = (outcomeId: string): string => turned(outcomeId);

/** The outcome that a conversion's id stands for. */
export const outcomeIdOf = (conversionId: string): string => turned(conversionId);

const versionAt = 14;

function turned(id: string): string {
  const version = Number.parseInt(id.charAt(versionAt), 16) ^ 3;
  return id.slice(0, versionAt) + version.toString(16) + id.slice(versionAt + 1);
}
