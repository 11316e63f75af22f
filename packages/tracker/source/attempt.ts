/** Swallows errors of the tracker: it must neither throw into the page nor write to its console. */
export function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
