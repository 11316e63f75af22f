const known = ['email', 'phone', 'external_id', 'first_name', 'last_name'];

/** Of what a site says about a person, the parts that Tributary has a use for. The rest does not leave the browser. */
export function readTraits(given: object): Record<string, string> {
  const traits: Record<string, string> = {};
  for (const name of known) {
    const value = (given as Record<string, unknown>)[name];
    if (value !== undefined && value !== null && value !== '') traits[name] = String(value);
  }
  return traits;
}
