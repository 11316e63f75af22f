import { html } from '@tributary/pages';
import type { Consents } from './consents.ts';
import { type Asked, formOf, type Reply, type Route, redirect } from './route.ts';

export interface ConsentPage {
  /** The company's folder and its name as people know it. */
  readonly of: string;
  readonly name: string;
  readonly path: string;
  /** Where the company has names of its own for client_id and code. */
  readonly clientAs?: string;
  readonly codeAs?: string;
  /** What separates the words of `scope`. */
  readonly scopesBy: ' ' | ',';
  /** Where the request names none. */
  readonly scopes: readonly string[];
  /** What a person may share; `one` of them, or several. */
  readonly choose: 'one' | 'several';
  readonly accounts: (asked: Asked) => readonly { readonly id: string; readonly name: string }[];
  /** What comes back to the callback with each button other than "approve". */
  readonly endings: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Added to the callback beside code and state. */
  readonly also?: (accounts: readonly string[]) => Readonly<Record<string, string>>;
}

/** A page with plain forms, as a person or a browser test sees it: approve, choose what to share, cancel, fail. */
export function consentRoutes(page: ConsentPage, consents: Consents): Route[] {
  return [
    { method: 'GET', path: page.path, handle: (asked) => refusal(page, asked) ?? shown(page, asked) },
    { method: 'POST', path: page.path, handle: (asked) => refusal(page, asked) ?? answered(page, consents, asked) },
  ];
}

function refusal({ clientAs = 'client_id' }: ConsentPage, { query }: Asked): Reply | undefined {
  const says = !query.get(clientAs)
    ? `${clientAs} is missing`
    : !URL.canParse(query.get('redirect_uri') ?? '')
      ? 'redirect_uri is missing or no URL'
      : undefined;
  return says === undefined ? undefined : htmlPage(400, html`<h1>This request cannot be shown</h1><p>${says}</p>`.text);
}

const scopesAsked = (page: ConsentPage, { query }: Asked): readonly string[] => {
  const asked = (query.get('scope') ?? '').split(page.scopesBy).filter((word) => word !== '');
  return asked.length > 0 ? asked : page.scopes;
};

function shown(page: ConsentPage, asked: Asked): Reply {
  const kind = page.choose === 'one' ? 'radio' : 'checkbox';
  const scopes = scopesAsked(page, asked).map(
    (scope) => html`<li><label><input type="checkbox" name="scope" value="${scope}" checked> ${scope}</label></li>`,
  );
  const accounts = page
    .accounts(asked)
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

function answered(page: ConsentPage, consents: Consents, asked: Asked): Reply {
  const form = formOf(asked);
  const { query } = asked;
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
    of: page.of,
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
