const supported = ['email', 'phone', 'external_id', 'first_name', 'last_name'];

/** Keeps only the traits that Tributary uses. All others stay in the browser. */
export function readTraits(input: object): Record<string, string> {
  const traits: Record<string, string> = {};
  for (const name of supported) {
    const value = (input as Record<string, unknown>)[name];
    if (value !== undefined && value !== null && value !== '') traits[name] = String(value);
  }
  return traits;
}
