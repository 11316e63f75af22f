import type { McpScope } from '@tributary/contract';
import { type Html, html, pageResponse } from '@tributary/pages';
import { mcpScopes } from '@tributary/vocabulary';
import { consentPath } from './auth.ts';
import type { Membership } from './memberships.ts';

/** The pages of the OAuth consent flow: plain forms without scripts or external resources. */

export const signInPath = '/oauth2/sign-in';

export interface SignInPage {
  /** The signed authorization request, passed on unchanged. */
  readonly query: string;
  readonly client: string;
  readonly problem?: string;
}

export function signInPage({ query, client, problem }: SignInPage): Response {
  return page(problem ? 401 : 200, `Sign in to allow ${client}`, [
    html`<h1>Sign in</h1><p><strong>${client}</strong> asks to read your reports. Sign in to decide.</p>`,
    problem ? html`<p class="problem" role="alert">${problem}</p>` : html``,
    html`<form method="post" action="${signInPath}">
      <input type="hidden" name="query" value="${query}">
      <label>E-mail <input name="email" type="email" autocomplete="username" required></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
      <button>Sign in</button>
    </form>`,
  ]);
}

export interface CodePage extends SignInPage {
  readonly challenge: string;
}

export function codePage({ query, client, challenge, problem }: CodePage): Response {
  return page(problem ? 401 : 200, `Sign in to allow ${client}`, [
    html`<h1>Sign in</h1><p>Your password is right. Your authenticator shows a code; a recovery code will do as well.</p>`,
    problem ? html`<p class="problem" role="alert">${problem}</p>` : html``,
    html`<form method="post" action="${signInPath}">
      <input type="hidden" name="query" value="${query}">
      <input type="hidden" name="challenge" value="${challenge}">
      <label>Code <input name="code" autocomplete="one-time-code" required></label>
      <button>Sign in</button>
    </form>`,
  ]);
}

export interface ConsentPage {
  readonly query: string;
  readonly client: string;
  /** The redirect target: shown to the member, and allowed as form action in the content security policy. */
  readonly returnTo: URL;
  readonly requestedScopes: readonly McpScope[];
  readonly memberships: readonly Membership[];
}

export function consentPage({ query, client, returnTo, requestedScopes, memberships }: ConsentPage): Response {
  const usable = memberships.filter(({ profiles }) => profiles.length > 0);
  if (usable.length === 0) {
    return problemPage(403, 'You belong to no workspace with a profile yet, so there is nothing to allow.');
  }
  const body = html`
    <h1>Allow ${client}?</h1>
    <p>It will be told at <strong>${returnTo.host || returnTo.protocol}</strong>.</p>
    <form method="post" action="${consentPath}">
      <input type="hidden" name="query" value="${query}">
      <label>Which profile may it speak for?
        <select name="profile_id" required>${usable.map(profileGroup)}</select>
      </label>
      <p>${mcpScopes['mcp:read'].description} Which ads do best it may rank over all profiles of yours.</p>
      ${requestedScopes.includes('mcp:write') && html`<label><input type="checkbox" name="write" value="yes"> ${mcpScopes['mcp:write'].description}</label>`}
      <button name="decision" value="allow">Allow</button>
      <button name="decision" value="deny" formnovalidate>Deny</button>
    </form>
    <p>You can take this back at any time, under your account. It ends when you sign out.</p>`;
  return page(200, `Allow ${client}?`, [body], returnTo);
}

const profileGroup = ({ workspaceName, profiles }: Membership): Html =>
  html`<optgroup label="${workspaceName}">${profiles.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</optgroup>`;

export function problemPage(status: 400 | 403 | 404, problem: string): Response {
  return page(status, 'This cannot go on', [html`<h1>This cannot go on</h1><p class="problem">${problem}</p>`]);
}

const page = (status: number, title: string, body: readonly Html[], formTarget?: URL): Response =>
  pageResponse({ status, title, body, formTarget });
