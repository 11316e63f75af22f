/** Whatever goes wrong in the tracker is no business of the page: it neither throws there nor writes on its console. */
export function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
