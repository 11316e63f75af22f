import * as words from '@tributary/vocabulary';
import { z } from 'zod';
import { enumOf } from './primitives.ts';

/** What routes require, what is granted, and kinds of credential, as schemas; packages/vocabulary/access.ts says what each is worth. */

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

/** What a grant is worth, before the profile's privacy narrows it. */
export function scopesOfGrant(granted: Iterable<OAuthScope>, swapWindowOpen: boolean): ReadonlySet<Scope> {
  const held = new Set<Scope>();
  for (const name of granted) {
    const bundle: words.Bundle = words.oauthScopes[name];
    for (const scope of bundle.scopes) held.add(scope);
    if (swapWindowOpen) for (const scope of bundle.duringSwapWindow ?? []) held.add(scope);
  }
  return held;
}

/** What an assistant's token is worth, before the role of its person narrows it. */
export function scopesOfMcpToken(granted: Iterable<McpScope>): ReadonlySet<Scope> {
  return new Set([...granted].flatMap((name): readonly Scope[] => words.mcpScopes[name].scopes));
}
