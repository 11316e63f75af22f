import { buildConsole, consoleDirectory } from '@tributary/console/build.ts';
import { ErrorCode, errorEntry, links } from '@tributary/contract';
import { alertMails, lookForAlerts } from '@tributary/domain/notifications/alerts/module.ts';
import { reportMails } from '@tributary/domain/notifications/report-mails/module.ts';
import {
  addMember,
  createPasswords,
  createUser,
  openFirstAccount,
  sendPasswordReset,
} from '@tributary/domain/tenancy/accounts/module.ts';
import { createMailer } from '@tributary/outbound';
import { buildApiKey, buildConnection, buildProfile, operatorOf } from '@tributary/testkit';
import { startMailServer } from '@tributary/testkit/mail-server';
import { dayMs, mailedPages, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { openConsents } from './handoffs-scene.ts';

const password = 'vague otter lamp';
await buildConsole();
const mails = await startMailServer();
const mailer = createMailer({ url: mails.url, from: 'Tributary <no-reply@tributary.test>' });
const scene = await openConsents({ consoleDirectory, collectorUrl: 'https://collect.tributary.test' });
const { kit, baseUrl } = scene;
const now = () => kit.clock.now();
const first = await openFirstAccount(kit.owner.unbound, baseUrl, now());
const reachedFirst = await open(await scene.newContext(), first?.url ?? '');

const tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
const profile = await buildProfile(kit.app);
const ana = await createUser(tools, { email: 'ana@example.com', name: 'Ana', password });
await addMember(tools, { workspaceId: profile.workspaceId, email: ana.email, role: 'owner' });
/** A profile that an app manages; its merchant has no account here. */
const shop = await scene.open();
const member = await scene.newContext();
await signIn(await member.newPage(), `${baseUrl}/sign-in?next=/account`);

afterAll(async () => {
  await scene.close();
  mailer.close();
  await mails.stop();
});

interface Reached {
  readonly status: number;
  readonly type: string;
  readonly page: Page;
}

/** Opens a URL as a user who clicks it. */
async function open(context: BrowserContext, url: string): Promise<Reached> {
  const page = await context.newPage();
  const response = await page.goto(url);
  return { status: response?.status() ?? 0, type: response?.headers()['content-type'] ?? '', page };
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('E-mail').fill(ana.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((at) => at.pathname !== '/sign-in');
}

/** Expects an HTML page with this title that does not require signing in. */
async function expectPage({ status, type, page }: Reached, title: string | RegExp): Promise<void> {
  expect([status, type]).toEqual([200, expect.stringMatching(/^text\/html/)]);
  await expect.poll(() => page.title(), { timeout: 20_000 }).toMatch(title);
  expect(await page.getByRole('button', { name: 'Sign in', exact: true }).count(), page.url()).toBe(0);
}

const anonymous = () => scene.newContext();
const get = (url: string) => fetch(url, { headers: { accept: '*/*' }, redirect: 'manual' });

/** Calls the API with the member's session, as the console does. */
async function asMember(method: 'POST' | 'GET', path: string, data?: object) {
  const answer = await member.request.fetch(`${baseUrl}/api/v1${path}`, {
    method,
    ...(data && { data }),
    headers: { origin: baseUrl, 'x-profile-id': profile.id },
  });
  return { status: answer.status(), ...(await answer.json()) };
}

async function expectRefusal(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, init);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'application/json; charset=utf-8']);
  return answer;
}

async function freshHandoff() {
  return shop.handoff('social_ads', {});
}

/** Completes a consent without a return URL, and returns its last page. */
async function consentTo(startUrl: string): Promise<Reached> {
  const { page } = await open(await anonymous(), startUrl);
  const callback = page.waitForResponse((response) => response.url().startsWith(links.connectCallback(baseUrl, '')));
  await scene.consent(page);
  const response = await callback;
  await page.waitForLoadState();
  return { status: response.status(), type: response.headers()['content-type'] ?? '', page };
}

const titles: Readonly<Record<string, string>> = {
  overview: 'Overview · Tributary',
  campaigns: 'Campaigns · Tributary',
  connections: 'Connections · Tributary',
  tracking: 'Tracking · Tributary',
  'report-mails': 'Reports by e-mail · Tributary',
};

/** Opens each URL that a builder creates, as its recipient does. A new builder does not compile without an entry here. */
const cases: Readonly<Record<keyof typeof links, () => Promise<void>>> = {
  async firstAccount() {
    await expectPage(reachedFirst, 'Create the first account');
  },
  async invitation() {
    const { data } = await asMember('POST', `/workspaces/${profile.workspaceId}/invitations`, { role: 'viewer' });
    const reached = await open(await anonymous(), data.url);
    await expectPage(reached, /^Join .*· Tributary$|Invitation · Tributary/);
    await reached.page.getByText('Ana invited you as viewer.').waitFor();
  },
  async passwordReset() {
    const [mail] = await resetMails();
    const reached = await open(await anonymous(), urlsIn(mail?.text ?? '')[0] ?? '');
    await expectPage(reached, / · Tributary$/);
    await reached.page.getByLabel('New password').waitFor();
  },
  async sharedView() {
    const view = {
      name: 'For the agency',
      page: 'overview',
      search: '',
      date_from: '2026-06-01',
      date_to: '2026-06-30',
    };
    const { data } = await asMember('POST', '/shared-views', view);
    await expectPage(await open(await anonymous(), data.url), 'Overview · Tributary');
  },
  async connect() {
    const { url } = await freshHandoff();
    await expectPage(await open(await anonymous(), url), 'Connect Meta Ads');
  },
  async startConnect() {
    const { start_url: startUrl } = await freshHandoff();
    const { status, type, page } = await open(await anonymous(), startUrl);
    expect([status, type]).toEqual([200, expect.stringMatching(/^text\/html/)]);
    expect(page.url()).toContain(scene.sandbox.url);
  },
  async connectCallback() {
    const { start_url: startUrl } = await freshHandoff();
    await expectPage(await consentTo(startUrl), /connected|Several accounts/);
    // Opened without a consent, the page explains itself too.
    const stray = await open(await anonymous(), links.connectCallback(baseUrl, 'social_ads'));
    expect([stray.status, stray.type]).toEqual([400, expect.stringMatching(/^text\/html/)]);
  },
  async profilePage() {
    const handedOut = new Set<string>([...mailedPages, 'connections', 'tracking', 'report-mails']);
    for (const name of handedOut) {
      const url = links.profilePage(baseUrl, profile.id, name);
      await expectPage(await open(member, url), titles[name] ?? name);
    }
    // A member who is signed out reaches the same page by signing in.
    const { page } = await open(await anonymous(), links.profilePage(baseUrl, profile.id, 'connections'));
    await signIn(page, page.url());
    await expect.poll(() => page.title(), { timeout: 20_000 }).toBe(titles.connections);
  },
  async docs() {
    const answer = await fetch(links.docs(baseUrl));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)]);
  },
  async errorDocs() {
    for (const code of ErrorCode.options) {
      const answer = await get(links.errorDocs(baseUrl, code));
      expect([code, answer.status, answer.headers.get('content-type')]).toEqual([
        code,
        200,
        expect.stringMatching(/^text\/html/),
      ]);
      expect(await answer.text()).toContain(`<h1>${errorEntry(code).title}</h1>`);
    }
  },
  async readiness() {
    expect(((await (await get(links.readiness(baseUrl))).json()) as { status: string }).status).toBe('ready');
  },
  async route() {
    const { status, data } = await asMember('GET', '/profile');
    expect([status, data.id]).toEqual([200, profile.id]);
    await expectRefusal(links.route(baseUrl, '/api/v1/events'), { method: 'POST' });
    // A deprecated route links to its successor.
    const key = await buildApiKey(kit.app, profile.id, { scopes: ['goals:write'] });
    const headers = { ...key.headers, 'content-type': 'application/json' };
    const old = await fetch(`${baseUrl}/api/v1/goals`, { method: 'POST', headers, body: '{"name":"Demo"}' });
    const [, successor = ''] = /^<([^>]+)>; rel="successor-version"$/.exec(old.headers.get('link') ?? '') ?? [];
    expect((await fetch(successor, { headers: key.headers })).status).not.toBe(404);
  },
  async assistants() {
    const answer = await expectRefusal(links.assistants(baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.headers.get('www-authenticate')).toContain(`"${links.assistantsMetadata(baseUrl)}"`);
  },
  async assistantsMetadata() {
    const metadata = (await (await get(links.assistantsMetadata(baseUrl))).json()) as { resource: string };
    expect(metadata.resource).toBe(links.assistants(baseUrl));
  },
  async assistantConsent() {
    const callback = 'http://localhost:9/callback';
    const body = { client_name: 'Claude', redirect_uris: [callback], token_endpoint_auth_method: 'none' };
    const registered = await fetch(`${baseUrl}/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] }),
    });
    const query = new URLSearchParams({
      client_id: ((await registered.json()) as { client_id: string }).client_id,
      redirect_uri: callback,
      response_type: 'code',
      state: 'the-state',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      resource: links.assistants(baseUrl),
    });
    const reached = await open(member, `${baseUrl}/oauth2/authorize?${query}`);
    expect(reached.page.url()).toContain(links.assistantConsent(baseUrl));
    await expectPage(reached, /Claude/);
    // A stale URL opens a page that says what to do.
    const stale = await open(await anonymous(), links.assistantConsent(baseUrl));
    expect([stale.status, stale.type]).toEqual([400, expect.stringMatching(/^text\/html/)]);
  },
  async trackerScript() {
    expect((await asMember('POST', '/tracking/keys', { name: 'Site' })).status).toBe(201);
    const snippet = await member.request.get(`${baseUrl}/api/v1/tracking/snippet`, {
      headers: { 'x-profile-id': profile.id },
    });
    // tests/e2e/tracker.test.ts loads it from a collector.
    expect(await snippet.text()).toContain(`src="${links.trackerScript('https://collect.tributary.test')}"`);
  },
};

test.each(Object.entries(cases))('the address of links.%s opens for its reader', (_name, run) => run(), 120_000);

const urlsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/https?:\/\/[^\s"'<>)]+/g)]
      .map(([url]) => url.replaceAll('&amp;', '&'))
      .filter((url) => new URL(url).host === new URL(baseUrl).host),
  ),
];

async function resetMails() {
  mails.received.length = 0;
  await fetch(`${baseUrl}/api/v1/account/password-resets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ email: ana.email, language: 'en' }),
  });
  const { rows } = await kit.system.unbound.query(
    sql<{ data: { userId: string; language: 'en' | 'es' } }>`
      DELETE FROM pgboss.job WHERE name = 'send-password-reset' RETURNING data`,
  );
  for (const { data } of rows) await sendPasswordReset({ app: kit.app, mailer, baseUrl, now }, data);
  return mails.received.splice(0);
}

async function workOffMails(): Promise<void> {
  const stores = { app: kit.app, mailer, baseUrl, now };
  const { signal } = new AbortController();
  for (const queue of [reportMails({ ...stores, clickhouse: scene.warehouse.client }), alertMails(stores)])
    for (let isMore = true; isMore; ) {
      const batch = await queue.load(profile.id, 20, signal);
      // biome-ignore lint/suspicious/noExplicitAny: two queues with different items.
      await queue.work({ key: profile.id, ...batch, signal, renewLease: async () => {} } as any);
      isMore = batch.isMore;
    }
}

test('every link in report and alert mails, including the unsubscribe header, opens for the member who received it', async () => {
  const mail = { every: 'day', language: 'en', model: 'linear', recipients: [ana.id] };
  for (const page of mailedPages) expect((await asMember('POST', '/report-mails', { ...mail, page })).status).toBe(201);
  await kit.app
    .forProfile(profile.id)
    .transaction((tx) => sql`UPDATE report_mails SET due_at = ${new Date(+now() - minuteMs)}`.execute(tx));
  const silentSince = new Date(+now() - 3 * dayMs);
  await kit.app.unbound.query(
    sql`SELECT note_last_visits(${[profile.id]}::uuid[], ${[silentSince]}::timestamptz[], interval '10 minutes')`,
  );
  await buildConnection(kit, profile, { status: 'reconnect_required' });
  const { signal } = new AbortController();
  const stores = { app: kit.app, system: kit.system, now: now(), visitsThrough: now(), isMailSetUp: true, signal };
  await lookForAlerts(stores);
  mails.received.length = 0;
  await workOffMails();
  expect(mails.received.length).toBeGreaterThan(mailedPages.length);
  const urls = new Set(mails.received.flatMap(({ raw, text }) => urlsIn(`${raw.split('\r\n\r\n')[0]}\n${text}`)));
  const opened = new Set<string>();
  for (const url of urls) {
    const name = new URL(url).pathname.split('/').at(-1) ?? '';
    await expectPage(await open(member, url), titles[name] ?? 'a page that mails name');
    opened.add(name);
  }
  expect([...opened].sort()).toEqual(['campaigns', 'overview', 'report-mails', 'tracking']);
}, 180_000);

test('reconnect_url of a partner’s profile opens without an account, and is omitted when no one could use it', async () => {
  const refusalOf = async (channel: 'social_ads' | 'store') => {
    const connection_id = await buildConnection(kit, shop, { channel, status: 'reconnect_required' });
    return (await shop.call('POST', '/api/v1/connections/sync', { connection_id })).error;
  };
  const meta = await refusalOf('social_ads');
  await expectPage(await open(await anonymous(), meta.reconnect_url), 'Connect Meta Ads');
  const store = await refusalOf('store');
  expect(store).toMatchObject({ code: 'connection_not_ready', reconnect_required: true });
  expect(store.reconnect_url).toBeUndefined();
});

test('a member who connects an account returns to Connections, and selects one of several accounts there', async () => {
  for (const [name, choice] of [
    ['Stripe', undefined],
    ['Meta Ads', /^Sandbox ads USD/],
  ] as const) {
    const { page } = await open(member, links.profilePage(baseUrl, profile.id, 'connections'));
    await page.getByRole('button', { name: `Connect ${name}`, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Connect your account' }).click();
    await scene.consent(page);
    await page.waitForURL(`${baseUrl}/p/${profile.id}/connections**`);
    await expect.poll(() => page.title(), { timeout: 20_000 }).toBe(titles.connections);
    if (choice) await page.getByRole('button', { name: choice }).click();
    await page
      .getByText(/The first sync starts at once/)
      .first()
      .waitFor();
    // The result of the consent is shown only once.
    await page.getByRole('region', { name: 'Result of connecting' }).getByRole('button', { name: 'Close' }).click();
    await page.close();
  }
  const { data } = await asMember('GET', '/connections');
  const connected = data.filter(({ status }: { status: string }) => status === 'connected');
  expect(connected.map(({ channel }: { channel: string }) => channel).sort()).toEqual(['payments_a', 'social_ads']);
}, 120_000);

test('under another host name the consent opens in a new tab, and Connections shows the result', async () => {
  const other = baseUrl.replace('127.0.0.1', 'localhost');
  const context = await anonymous();
  const page = await context.newPage();
  await signIn(page, `${other}/sign-in?next=/p/${profile.id}/connections`);
  await page.getByRole('button', { name: 'Connect Mercado Pago', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Connect your account' }).click();
  const [tab] = await Promise.all([context.waitForEvent('page'), dialog.getByRole('link').first().click()]);
  await tab.getByRole('link', { name: 'Mercado Pago' }).click();
  await scene.consent(tab);
  await tab.getByRole('heading', { name: /It is connected/ }).waitFor();
  await dialog.getByText(/The first sync starts at once/).waitFor();
  expect(new URL(page.url()).host).toBe(new URL(other).host);
}, 120_000);
