import * as words from '@tributary/vocabulary';
import { z } from 'zod';
import { enumOf } from './primitives.ts';

/** Required scopes, grants and credential kinds as schemas; packages/vocabulary/access.ts defines which scopes they include. */

export const Scope = enumOf(words.scopes);
export type Scope = words.Scope;
export const ScopeList = z.array(Scope).min(1);

export const OAuthScope = enumOf(words.oauthScopes);
export type OAuthScope = words.OAuthScope;

export const McpScope = enumOf(words.mcpScopes);
export type McpScope = words.McpScope;

export const Role = enumOf(words.roles);
export type Role = words.Role;

export const CredentialKind = enumOf(words.credentialKinds);
export type CredentialKind = words.CredentialKind;

/** The scopes of a grant, before the profile's privacy mode narrows them. */
export function scopesOfGrant(granted: Iterable<OAuthScope>, swapWindowOpen: boolean): ReadonlySet<Scope> {
  const held = new Set<Scope>();
  for (const name of granted) {
    const bundle: words.Bundle = words.oauthScopes[name];
    for (const scope of bundle.scopes) held.add(scope);
    if (swapWindowOpen) for (const scope of bundle.duringSwapWindow ?? []) held.add(scope);
  }
  return held;
}

/** The scopes of an assistant's token, before its member's role narrows them. */
export function scopesOfMcpToken(granted: Iterable<McpScope>): ReadonlySet<Scope> {
  return new Set([...granted].flatMap((name): readonly Scope[] => words.mcpScopes[name].scopes));
}
