import { createMailer, type Mailer } from '@tributary/outbound';
import { buildMember, openTestWithClickHouse, scene } from '@tributary/testkit';
import { startMailServer } from '@tributary/testkit/mail-server';
import { limits, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { reportMails } from './report-mails.queue.ts';
import { daysBefore } from './send.ts';
import { nextDue } from './store.ts';

const world = await openTestWithClickHouse();
const { kit, api, clickhouse } = world;
const path = '/api/v1/report-mails';

const server = await startMailServer();
const inbox = server.received;
const mailer = createMailer({ url: server.url, from: 'Tributary <reports@tributary.test>' });
afterAll(async () => {
  mailer.close();
  await server.stop();
});
beforeEach(() => {
  kit.clock.set('2026-06-15T12:00:00Z');
  inbox.length = 0;
  server.onData = 'take';
});

async function openTeam() {
  const shop = await scene(world, { timeZone: 'America/Santiago', scopes: ['campaigns:read', 'attribution:write'] });
  const [owner, viewer] = [
    await buildMember(kit.app, shop.workspaceId, 'owner'),
    await buildMember(kit.app, shop.workspaceId, 'viewer'),
  ];
  const by = (who: typeof owner): Record<string, string> => ({
    ...who.headers({ profileId: shop.profileId }),
    origin: 'https://tributary.test',
  });
  const call = async (method: 'GET' | 'POST' | 'DELETE', url: string, who = owner, payload?: object) => {
    // The request as the console sends it, with or without a body.
    const headers = { ...by(who), ...(method === 'POST' && { 'content-type': 'application/json' }) };
    const answer = await api.call({ method, url, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.json() };
  };
  const mail = { page: 'overview', every: 'week', language: 'es', model: 'linear', recipients: [owner.userId] };
  const create = async (changes: object = {}) => {
    const { status, body } = await call('POST', path, owner, { ...mail, ...changes });
    expect([status, body.error]).toEqual([201, undefined]);
    return body.data;
  };
  /** Runs the queue as the only worker. */
  const work = async (through: Mailer | 'none' = mailer) => {
    const mailing = { mailer: through === 'none' ? undefined : through, baseUrl: 'https://tributary.test' };
    const queue = reportMails({ app: kit.app, clickhouse, ...mailing, now: () => kit.clock.now() });
    const { signal } = new AbortController();
    for (let isMore = true; isMore; ) {
      const batch = await queue.load(shop.profileId, 20, signal);
      await queue.work({ key: shop.profileId, ...batch, signal, renewLease: async () => {} });
      isMore = batch.isMore;
    }
  };
  const last = async () => (await call('GET', path)).body.data[0].last;
  return { ...shop, owner, viewer, call, create, mail, work, last };
}

test('sends a due report once to each member, with the API’s figures and no personal data', async () => {
  const team = await openTeam();
  const film = {
    external_id: 'film',
    name: 'Film',
    ad_set_external_id: 'broad',
    ad_set_name: 'Broad',
    campaign_external_id: 'winter',
    campaign_name: 'Winter <Sale>',
  };
  // The clock is before the first due time.
  kit.clock.set('2026-06-22T16:00:00Z');
  await team.spend({ ...film, date: '2026-06-17', spend: '40' }, { ...film, date: '2026-06-10', spend: '10' });
  const pay = (day: string, value: string) =>
    team.send({ occurred_at: `${day}T15:00:00Z`, properties: { value, currency: 'USD' } });
  await pay('2026-06-16', '1100.00');
  await pay('2026-06-21', '134.56');
  await pay('2026-06-09', '500.00');
  // Already tomorrow in the profile's time zone, so it is no part of the week.
  await pay('2026-06-22', '9.00');
  await team.settle();
  kit.clock.set('2026-06-15T12:00:00Z');

  const both = { recipients: [team.owner.userId, team.viewer.userId] };
  expect(await team.create(both)).toMatchObject({ next_at: '2026-06-22T11:00:00.000Z', last: null });
  await team.work();
  expect(inbox).toEqual([]);
  kit.clock.set('2026-06-22T11:00:30Z');
  await team.work();
  expect(inbox.map(({ to }) => to).sort()).toEqual([team.owner.email, team.viewer.email].sort());
  const range = 'date_from=2026-06-15&date_to=2026-06-21';
  const { totals } = (await team.ask(`/api/v1/overview?${range}`)).body.data;
  expect(totals).toMatchObject({ outcome_value: 1234.56, spend: 40, outcome_count: 2 });
  const [row] = (await team.ask(`/api/v1/campaigns?${range}&model=linear`)).body.data;
  expect(row).toMatchObject({ campaign_name: 'Winter <Sale>', spend: 40, outcome_value: 0 });
  const [{ text = '', raw = '' } = {}] = inbox;
  const money = (value: number) => value.toLocaleString('es', { style: 'currency', currency: 'USD' });
  for (const expected of [
    `Ingresos: ${money(totals.outcome_value)} (Antes: ${money(500)}, +147`,
    `Gasto: ${money(totals.spend)} (Antes: ${money(10)}, +300`,
    'Pagos: 2 (Antes: 1',
    `Winter <Sale>: Gasto ${money(row.spend)}, Ingresos ${money(row.outcome_value)}`,
    'Winter &lt;Sale&gt;',
    'Campañas que más ganaron (Lineal)',
    `https://tributary.test/p/${team.profileId}/overview?from=2026-06-15&to=2026-06-21&model=linear`,
    `<https://tributary.test/p/${team.profileId}/report-mails>`,
  ])
    expect(text).toContain(expected);
  for (const name of ['eva', 'Soto']) expect(text).not.toContain(name);
  expect(raw).toContain('From: Tributary <reports@tributary.test>');
  expect(raw).toContain('List-Unsubscribe:');

  await team.work();
  kit.clock.advance(30 * minuteMs);
  await team.work();
  expect(inbox).toHaveLength(2);
  const [shown] = (await team.call('GET', path)).body.data;
  expect(shown).toMatchObject({ next_at: '2026-06-29T11:00:00.000Z' });
  expect(shown.last).toEqual({
    at: '2026-06-22T11:00:00.000Z',
    date_from: '2026-06-15',
    date_to: '2026-06-21',
    sent: 2,
    waiting: 0,
    failed: 0,
    reason: null,
  });

  // Members unsubscribe themselves in any role; former members get nothing; two weeks without a worker are covered by one mail.
  const { id } = shown;
  expect((await team.call('POST', `${path}/${id}/leave`, team.viewer)).status).toBe(200);
  expect((await team.call('POST', `${path}/${id}/leave`, team.viewer)).status).toBe(404);
  kit.clock.set('2026-07-07T09:00:00Z');
  await team.work();
  expect(inbox.slice(2).map(({ to }) => to)).toEqual([team.owner.email]);
  expect(await team.last()).toMatchObject({ date_from: '2026-06-29', date_to: '2026-07-05', sent: 1 });
  const leave = sql`DELETE FROM members WHERE user_id = ${team.owner.userId}`;
  const other = await buildMember(kit.app, team.workspaceId, 'admin');
  await kit.app.forWorkspace(team.workspaceId).transaction((tx) => leave.execute(tx));
  kit.clock.set('2026-07-14T09:00:00Z');
  await team.work();
  expect(inbox).toHaveLength(3);
  expect((await team.call('DELETE', `${path}/${id}`, other)).status).toBe(200);
  expect((await team.call('GET', path, other)).body.data).toEqual([]);
});

test('retries and shows a mail that was not accepted; never resends one that may have arrived', async () => {
  const team = await openTeam();
  await team.create({ every: 'day' });
  const morning = (day: number) => kit.clock.set(`2026-06-${day}T11:00:30Z`);
  morning(16);
  server.onData = 451;
  await team.work();
  expect(await team.last()).toMatchObject({ sent: 0, waiting: 1, reason: 'unreachable' });
  await team.work();
  server.onData = 'take';
  kit.clock.advance(limits.reportMails.againMinutes * minuteMs);
  await team.work();
  expect(await team.last()).toMatchObject({ sent: 1, waiting: 0, reason: null });
  expect(inbox).toHaveLength(1);

  morning(17);
  server.onData = 550;
  await team.work();
  expect(await team.last()).toMatchObject({ failed: 1, reason: 'refused' });

  morning(18);
  const away = createMailer({ url: 'smtp://127.0.0.1:9', from: 'a@b.test' });
  for (let attempt = 1; attempt <= limits.reportMails.attempts; attempt += 1) {
    await team.work(attempt === 1 ? 'none' : away);
    kit.clock.advance(2 ** attempt * limits.reportMails.againMinutes * minuteMs);
  }
  expect(await team.last()).toMatchObject({ failed: 1, reason: 'unreachable' });

  morning(19);
  server.onData = 'hang up';
  await team.work();
  expect(inbox).toHaveLength(2);
  expect(await team.last()).toMatchObject({ failed: 1, reason: 'unclear' });

  // A worker dies while sending; the next one cannot know how far it got.
  morning(20);
  server.onData = 'take';
  const dies: Mailer = { ...mailer, send: () => Promise.reject(new Error('killed')) };
  await expect(team.work(dies)).rejects.toThrow('killed');
  await team.work();
  expect(await team.last()).toMatchObject({ waiting: 1 });
  kit.clock.advance(10 * minuteMs);
  await team.work();
  expect(await team.last()).toMatchObject({ failed: 1, reason: 'unclear' });
  expect(inbox).toHaveLength(2);
});

test('a parked mail is sent after it is put back, and so is a report that could not be planned', async () => {
  const team = await openTeam();
  const { id } = await team.create({ every: 'day', recipients: [team.owner.userId, team.viewer.userId] });
  kit.clock.set('2026-06-16T11:00:30Z');
  const mailing = { mailer, baseUrl: 'https://tributary.test' };
  const queue = reportMails({ app: kit.app, clickhouse, ...mailing, now: () => kit.clock.now() });
  const { signal } = new AbortController();
  const take = async () => (await queue.load(team.profileId, 20, signal)).items;
  const asSystem = (act: (tx: Parameters<typeof queue.park>[0]) => Promise<void>) =>
    kit.system.unbound.transaction(act);
  const [planned, ...rest] = await take();
  if (!planned) return expect.unreachable();
  expect([planned.id, rest]).toEqual([id, []]);
  await asSystem((tx) => queue.park(tx, team.profileId, planned));
  expect(await take()).toEqual([]);
  await asSystem((tx) => queue.unpark(tx, team.profileId, [planned.id]));
  // The time of putting back comes from the database clock.
  kit.clock.set(new Date());
  const back = await take();
  expect(back.map((item) => item.id)).toEqual([id]);
  await queue.work({ key: team.profileId, items: back, isMore: false, signal, renewLease: async () => {} });
  const [first, second] = await take();
  if (!first || !second) return expect.unreachable();
  await asSystem((tx) => queue.park(tx, team.profileId, first));
  expect(await team.last()).toMatchObject({ failed: 1, waiting: 1, reason: 'fault' });
  await team.work();
  expect(inbox).toHaveLength(1);
  await asSystem((tx) => queue.unpark(tx, team.profileId, [first.id]));
  await team.work();
  expect(inbox).toHaveLength(2);
  expect(await team.last()).toMatchObject({ sent: 2, failed: 0, waiting: 0, reason: null });
});

test('a report that another worker has planned is not planned again for a recipient who left since', async () => {
  const team = await openTeam();
  const { id } = await team.create({ every: 'day', recipients: [team.owner.userId, team.viewer.userId] });
  kit.clock.set('2026-06-16T11:00:30Z');
  const mailing = { mailer, baseUrl: 'https://tributary.test' };
  const queue = reportMails({ app: kit.app, clickhouse, ...mailing, now: () => kit.clock.now() });
  const { signal } = new AbortController();
  const loaded = await queue.load(team.profileId, 20, signal);
  const plan = () => queue.work({ key: team.profileId, ...loaded, signal, renewLease: async () => {} });
  await plan();
  expect(await team.last()).toMatchObject({ waiting: 2 });
  expect((await team.call('POST', `${path}/${id}/leave`, team.viewer)).status).toBe(200);
  await plan();
  await team.work();
  expect(inbox.map(({ to }) => to)).toEqual([team.owner.email]);
  expect(await team.last()).toMatchObject({ sent: 1, waiting: 0 });
});

test('only members receive it, only members who may share can create it, and a healthcare profile sends nothing', async () => {
  const team = await openTeam();
  const stranger = await buildMember(kit.app, (await openTeam()).workspaceId);
  const refused = async (who: typeof team.owner, changes: object) =>
    (await team.call('POST', path, who, { ...team.mail, ...changes })).body.error;
  expect(await refused(team.owner, { recipients: [stranger.userId] })).toMatchObject({ code: 'validation_error' });
  expect(await refused(team.owner, { recipients: [uuid()] })).toMatchObject({ code: 'validation_error' });
  expect(await refused(team.viewer, {})).toMatchObject({ code: 'forbidden', reason: 'role' });
  const { id } = await team.create();
  expect((await team.call('GET', path, team.viewer)).body).toMatchObject({
    data: [{ id, recipients: [{ user_id: team.owner.userId, email: team.owner.email }] }],
    meta: { is_set_up: true },
  });
  expect((await team.call('DELETE', `${path}/${id}`, team.viewer)).status).toBe(403);
  await kit.app
    .forWorkspace(team.workspaceId)
    .transaction((tx) => sql`UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = ${team.profileId}`.execute(tx));
  kit.clock.set('2026-06-22T11:00:30Z');
  await team.work();
  expect(inbox).toEqual([]);
  expect(await team.last()).toBeNull();
  expect(await refused(team.owner, {})).toMatchObject({ reason: 'healthcare' });
});

test('the preview equals the mail that is sent, and sends nothing', async () => {
  const team = await openTeam();
  await team.create();
  kit.clock.set('2026-06-22T11:00:30Z');
  const { page, every, language, model } = team.mail;
  const search = new URLSearchParams({ page, every, language, model });
  const { status, body } = await team.call('GET', `${path}/preview?${search}`, team.viewer);
  expect([status, inbox]).toEqual([200, []]);
  expect(body.data).toMatchObject({ date_from: '2026-06-15', date_to: '2026-06-21' });
  await team.work();
  const [{ raw = '', text = '' } = {}] = inbox;
  expect(raw).toContain('Subject: ');
  for (const line of body.data.text.split('\n').filter(Boolean)) expect(text).toContain(line.trim());
  expect(body.data.html).toContain(`/p/${team.profileId}/report-mails`);
});

test('sends a report now to all recipients, at most once in five minutes, without changing the schedule', async () => {
  const team = await openTeam();
  const { id, next_at } = await team.create({ recipients: [team.owner.userId, team.viewer.userId] });
  const send = (who = team.owner, mailId = id) => team.call('POST', `${path}/${mailId}/send`, who, {});
  const sent = await send();
  expect([sent.status, sent.body.data]).toMatchObject([
    202,
    { next_at, last: { waiting: 2, date_from: '2026-06-08', date_to: '2026-06-14' } },
  ]);
  expect((await send()).body.error.code).toBe('invalid_state');
  await team.work();
  expect(inbox.map(({ to }) => to).sort()).toEqual([team.owner.email, team.viewer.email].sort());
  expect(await team.last()).toMatchObject({ sent: 2, waiting: 0 });
  kit.clock.advance(limits.reportMails.againMinutes * minuteMs);
  expect((await send()).status).toBe(202);
  await team.work();
  expect(inbox).toHaveLength(4);
  // The scheduled mail is sent as well.
  kit.clock.set('2026-06-22T11:00:30Z');
  await team.work();
  expect(inbox).toHaveLength(6);

  expect((await send(team.viewer)).body.error).toMatchObject({ code: 'forbidden', reason: 'role' });
  const stranger = await openTeam();
  const foreign = await stranger.create();
  for (const unknown of [uuid(), foreign.id])
    expect((await send(team.owner, unknown)).body.error.code).toBe('not_found');
});

test('due times follow the profile’s clock, also across time changes, and periods are those before', async () => {
  const cases = [
    ['day', '2026-06-15T10:59:59Z', 'America/Santiago', '2026-06-15T11:00:00.000Z'],
    ['day', '2026-06-15T11:00:00Z', 'America/Santiago', '2026-06-16T11:00:00.000Z'],
    // Daylight saving time starts in the night to Sunday, 29 March.
    ['day', '2026-03-28T12:00:00Z', 'Europe/Madrid', '2026-03-29T05:00:00.000Z'],
    ['week', '2026-03-23T12:00:00Z', 'Europe/Madrid', '2026-03-30T05:00:00.000Z'],
    ['month', '2026-12-31T23:00:00Z', 'Asia/Tokyo', '2027-01-31T22:00:00.000Z'],
    ['month', '2026-12-31T21:00:00Z', 'Asia/Tokyo', '2026-12-31T22:00:00.000Z'],
  ] as const;
  for (const [every, at, zone, due] of cases)
    expect((await kit.app.unbound.transaction((tx) => nextDue(tx, every, new Date(at), zone))).toISOString()).toBe(due);
  expect(daysBefore({ from: '2026-03-01', to: '2026-03-31' }, 'month')).toEqual({
    from: '2026-02-01',
    to: '2026-02-28',
  });
  expect(daysBefore({ from: '2026-01-01', to: '2026-01-31' }, 'month')).toEqual({
    from: '2025-12-01',
    to: '2025-12-31',
  });
  expect(daysBefore({ from: '2026-03-02', to: '2026-03-08' }, 'week')).toEqual({
    from: '2026-02-23',
    to: '2026-03-01',
  });
});
