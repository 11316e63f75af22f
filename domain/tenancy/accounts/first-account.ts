import { links, routes } from '@tributary/contract';
import { hashSecret, isWellFormedSecret, mintSecret } from '@tributary/domain/tenancy/credentials';
import { openProfile, openWorkspace } from '@tributary/domain/tenancy/tenants';
import { Refusal, readBody, refuse, type WriteAudit } from '@tributary/operations';
import { html, type PageEndpoint, type PageVisit, pageResponse } from '@tributary/pages';
import type { Postgres, UnboundLedger } from '@tributary/postgres';
import { isCurrency } from '@tributary/rules';
import { dayMs, limits } from '@tributary/vocabulary';
import type { Accounts } from './accounts.ts';
import { addOwner } from './member.ts';
import { insertUser, isFirstAccountOpen, offerFirstAccount, redeemFirstAccount } from './store.ts';

/**
 * Creates the first account of an installation. The migration prints a one-time token to its log, which only the operator can read. A page
 * accepts the token once, while no account exists.
 */

export const firstAccountPath = '/first-account';

/** Creates a token, which replaces the previous one. Requires the schema owner's role. Returns undefined when an account exists. */
export async function openFirstAccount(
  owner: UnboundLedger,
  baseUrl: string,
  now: Date,
): Promise<{ readonly url: string; readonly until: Date } | undefined> {
  const token = mintSecret('firstAccount');
  const until = new Date(now.getTime() + limits.firstAccount.lifeDays * dayMs);
  const isOpen = await owner.transaction((tx) => offerFirstAccount(tx, hashSecret(token), until));
  return isOpen ? { url: links.firstAccount(baseUrl, token), until } : undefined;
}

export interface FirstAccountOptions {
  readonly postgres: Postgres;
  readonly accounts: Accounts;
  readonly audit: WriteAudit;
  /** Whether a form was sent by a page of this server. */
  readonly isFromOurPages: (headers: Headers) => boolean;
}

/** Whether the first account can still be created. Cached once it is false, because that never changes back. */
export function createFirstAccountCheck({ home }: Postgres): () => Promise<boolean> {
  let isOver = false;
  return async () => {
    if (!isOver) isOver = !(await home.unbound.transaction(isFirstAccountOpen, { readOnly: true }));
    return !isOver;
  };
}

export function firstAccountEndpoints(options: FirstAccountOptions): PageEndpoint[] {
  const isOpen = createFirstAccountCheck(options.postgres);
  const endpoint = { path: firstAccountPath, maxBytes: 8 * 1_024 } as const;
  return [
    {
      ...endpoint,
      method: 'GET',
      allowance: 'public',
      handle: async () => ((await isOpen()) ? form({}) : closed()),
    },
    {
      ...endpoint,
      method: 'POST',
      allowance: 'token',
      handle: async (request, visit) => {
        if (!options.isFromOurPages(request.headers) || !(await isOpen())) return closed();
        const sent = Object.fromEntries(new URLSearchParams(await request.text()));
        try {
          return await createFirstAccount(options, sent, visit);
        } catch (error) {
          if (error instanceof Refusal) return form(sent, error.message);
          throw error;
        }
      },
    },
  ];
}

type Sent = Readonly<Record<string, string>>;

async function createFirstAccount({ postgres, accounts, audit }: FirstAccountOptions, sent: Sent, visit: PageVisit) {
  const { token = '', business = '', name = '', password = '', currency = '', time_zone: timeZone = '' } = sent;
  const email = (sent.email ?? '').trim().toLowerCase();
  const { now, requestId } = visit;
  if (!isWellFormedSecret(token, 'firstAccount')) refuseToken();
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || !name.trim()) {
    refuse('validation_error', 'A name and an e-mail address are needed.');
  }
  const workspace = readBody(routes.createWorkspace, { name: business });
  accounts.passwords.accept(password);
  const passwordHash = await accounts.passwords.hash(password);
  const profileId = await postgres.home.unbound.transaction(async (tx) => {
    if (!(await redeemFirstAccount(tx, hashSecret(token), now))) refuseToken();
    const userId = await insertUser(tx, { email, name: name.trim(), passwordHash }, now);
    if (!userId) return refuseToken();
    const actor = { kind: 'user', id: userId } as const;
    const entry = { actor, result: 'done', detail: {}, requestId, at: now } as const;
    await audit(tx, { ...entry, log: 'installation', action: 'account.created', target: `user:${userId}` });
    const { id: workspaceId } = (await openWorkspace(tx, { ...workspace, plan: 'scale' }, now)).body.data;
    await addOwner(tx, workspaceId, userId, now);
    const log = { workspaceId };
    await audit(tx, { ...entry, log, action: routes.createWorkspace.audit.action, target: `workspace:${workspaceId}` });
    const body = readBody(routes.createProfile, {
      workspace_id: workspaceId,
      name: business,
      privacy_mode: 'standard',
      time_zone: timeZone.trim(),
      reporting_currency: currency.trim().toUpperCase(),
    });
    const { profile } = await openProfile(tx, body, undefined, now);
    await audit(tx, { ...entry, log, action: routes.createProfile.audit.action, target: `profile:${profile.id}` });
    return profile.id;
  });
  const signedIn = await accounts.signIn(email, password);
  const cookie = signedIn && 'setCookie' in signedIn ? { 'set-cookie': signedIn.setCookie } : undefined;
  // A new profile has no data yet, so its owner starts with the set-up checklist.
  return new Response(null, { status: 303, headers: { location: `/p/${profileId}/set-up`, ...cookie } });
}

const refuseToken = (): never =>
  refuse(
    'not_found',
    'This link is not the newest one, or too old. The log of the migration has another: run it again, or "tributary first-account".',
  );

const closed = () =>
  pageResponse({
    status: 404,
    title: 'Nothing to do here',
    body: [html`<h1>Nothing to do here</h1><p>The first account is made. <a href="/sign-in">Sign in</a>.</p>`],
  });

/**
 * Reads the token from the URL fragment, which proxies do not log, and presets the browser's time zone unless one is
 * selected.
 */
const script = `
const token = document.querySelector('input[name=token]');
if (location.hash) {
  token.value = location.hash.slice(1);
  token.closest('label').replaceWith(token);
  token.type = 'hidden';
  history.replaceState(null, '', location.pathname);
}
const zone = document.querySelector('select[name=time_zone]');
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone.dataset.preset && [...zone.options].some(({ value }) => value === own)) zone.value = own;
`;

function form(sent: Sent, problem?: string): Response {
  const { token = '', business = '', name = '', email = '', currency = 'USD', time_zone: zone } = sent;
  return pageResponse({
    status: problem ? 400 : 200,
    title: 'Create the first account',
    script,
    body: [
      html`<h1>Create the first account</h1><p>Tributary is running. This account owns the first workspace and can invite others.</p>`,
      problem ? html`<p class="problem" role="alert">${problem}</p>` : html``,
      html`<form method="post" action="${firstAccountPath}">
        <label>Token from the migration log <input name="token" value="${token}" autocomplete="off" required></label>
        <label>Business name <input name="business" value="${business}" maxlength="100" autocomplete="organization" required></label>
        <label>Reporting currency <select name="currency" required>${options(currencies, currency.toUpperCase(), currencyLabel)}</select></label>
        <label>Time zone <select name="time_zone" ${zone === undefined && html`data-preset="browser"`} required>${options(timeZones, zone ?? 'UTC')}</select></label>
        <label>Your name <input name="name" value="${name}" autocomplete="name" required></label>
        <label>E-mail <input name="email" type="email" value="${email}" autocomplete="username" required></label>
        <label>Password <input name="password" type="password" autocomplete="new-password" required></label>
        <button>Create account</button>
      </form>`,
    ],
  });
}

const timeZones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
const currencies = Intl.supportedValuesOf('currency').filter(isCurrency);
const currencyNames = new Intl.DisplayNames('en', { type: 'currency' });
const currencyLabel = (code: string): string => `${code} – ${currencyNames.of(code) ?? code}`;

const options = (values: readonly string[], selected: string, label = (value: string) => value) =>
  values.map(
    (value) => html`<option value="${value}"${value === selected && html` selected`}>${label(value)}</option>`,
  );
