import { html } from '@tributary/pages';
import type { Consents } from './consents.ts';
import { formOf, type Reply, type Route, redirect, type SandboxRequest } from './route.ts';

export interface ConsentPage {
  /** The company's folder and its display name. */
  readonly company: string;
  readonly name: string;
  readonly path: string;
  /** The company's own parameter names for client_id and code, where they differ. */
  readonly clientAs?: string;
  readonly codeAs?: string;
  readonly scopesBy: ' ' | ',';
  /** Used when the request names no scopes. */
  readonly scopes: readonly string[];
  /** How many accounts a user can share. */
  readonly choose: 'one' | 'several';
  readonly accounts: (request: SandboxRequest) => readonly { readonly id: string; readonly name: string }[];
  /** The callback parameters of each button other than "approve". */
  readonly endings: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Additional callback parameters beside code and state. */
  readonly also?: (accounts: readonly string[]) => Readonly<Record<string, string>>;
}

/** A consent page of plain forms for users and browser tests: approve, choose what to share, cancel, fail. */
export function consentRoutes(page: ConsentPage, consents: Consents): Route[] {
  return [
    { method: 'GET', path: page.path, handle: (request) => refusal(page, request) ?? renderPage(page, request) },
    {
      method: 'POST',
      path: page.path,
      handle: (request) => refusal(page, request) ?? answered(page, consents, request),
    },
  ];
}

function refusal({ clientAs = 'client_id' }: ConsentPage, { query }: SandboxRequest): Reply | undefined {
  const problem = !query.get(clientAs)
    ? `${clientAs} is missing`
    : !URL.canParse(query.get('redirect_uri') ?? '')
      ? 'redirect_uri is missing or no URL'
      : undefined;
  return problem === undefined
    ? undefined
    : htmlPage(400, html`<h1>This request cannot be shown</h1><p>${problem}</p>`.text);
}

const requestedScopes = (page: ConsentPage, { query }: SandboxRequest): readonly string[] => {
  const scopes = (query.get('scope') ?? '').split(page.scopesBy).filter((word) => word !== '');
  return scopes.length > 0 ? scopes : page.scopes;
};

function renderPage(page: ConsentPage, request: SandboxRequest): Reply {
  const kind = page.choose === 'one' ? 'radio' : 'checkbox';
  const scopes = requestedScopes(page, request).map(
    (scope) => html`<li><label><input type="checkbox" name="scope" value="${scope}" checked> ${scope}</label></li>`,
  );
  const accounts = page
    .accounts(request)
    .map(
      ({ id, name }, place) =>
        html`<li><label><input type="${kind}" name="account" value="${id}" ${(kind === 'checkbox' || place === 0) && 'checked'}> ${name} (${id})</label></li>`,
    );
  const endings = Object.keys(page.endings).map(
    (ending) => html`<button name="answer" value="${ending}">${ending}</button> `,
  );
  return htmlPage(
    200,
    html`<h1>${page.name} (sandbox)</h1>
<p>An app asks for access. No real company is asked, and nothing here is real.</p>
<form method="post">
<h2>May do</h2><ul>${scopes}</ul>
<h2>With</h2><ul>${accounts}</ul>
<button name="answer" value="approve">approve</button> ${endings}
</form>`.text,
  );
}

function answered(page: ConsentPage, consents: Consents, request: SandboxRequest): Reply {
  const form = formOf(request);
  const { query } = request;
  const back = new URL(query.get('redirect_uri') ?? '');
  const state = query.get('state');
  if (state !== null) back.searchParams.set('state', state);
  const answer = form.get('answer') ?? 'approve';
  if (answer !== 'approve') {
    const ending = page.endings[answer];
    if (!ending) return htmlPage(400, 'There is no such button.');
    for (const [name, value] of Object.entries(ending)) back.searchParams.set(name, value);
    return redirect(back.href);
  }
  const accounts = form.getAll('account');
  const grant = consents.grant({
    of: page.company,
    clientId: query.get(page.clientAs ?? 'client_id') ?? '',
    redirectUri: query.get('redirect_uri') ?? '',
    scopes: form.getAll('scope'),
    accounts,
    codeChallenge: query.get('code_challenge') ?? undefined,
  });
  back.searchParams.set(page.codeAs ?? 'code', consents.codeFor(grant));
  for (const [name, value] of Object.entries(page.also?.(accounts) ?? {})) back.searchParams.set(name, value);
  return redirect(back.href);
}

const htmlPage = (status: number, body: string): Reply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sandbox</title><body>${body}</body></html>`,
});
