/** Who may see people. Partner apps never do on a healthcare-family profile; where its status is unknown it counts as one. */
export interface PrivacyStatus {
  readonly isHealthcareAgency: boolean;
  readonly privacyMode: string;
}

export function isHealthcareFamily(status: PrivacyStatus | undefined): boolean {
  return status === undefined || status.isHealthcareAgency || status.privacyMode !== 'standard';
}

const personScopes: ReadonlySet<string> = new Set(['customers:read', 'visitors:read']);

/** What a credential of a partner app is worth at this moment: what it was minted with, within its grant, within privacy. */
export function effectiveScopes<S extends string>(
  minted: Iterable<S>,
  granted: ReadonlySet<S>,
  isHealthcare: boolean,
): Set<S> {
  return new Set([...minted].filter((scope) => granted.has(scope) && !(isHealthcare && personScopes.has(scope))));
}
