import { createMailer, type Mailer } from '@tributary/outbound';
import { buildConnection, buildMember, buildTrackingKey, openTest, scene } from '@tributary/testkit';
import { startMailServer } from '@tributary/testkit/mail-server';
import { hourMs, limits, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { alertMails } from './alert-mails.queue.ts';
import { lookForAlerts } from './look-for-alerts.job.ts';

const world = await openTest();
const { kit, api } = world;
const server = await startMailServer();
const inbox = server.received;
const mailer = createMailer({ url: server.url, from: 'Tributary <alerts@tributary.test>' });
afterAll(async () => {
  mailer.close();
  await server.stop();
});
beforeEach(async () => {
  // The job checks every profile, so alerts left by another test would be counted here.
  await kit.owner.unbound.query(
    sql`TRUNCATE alerts, alert_mails, dirty_entities, dirty_conversions, last_visits, syncs`,
  );
  kit.clock.set('2026-06-15T12:00:00Z');
  inbox.length = 0;
  server.onData = 'take';
});

/** Runs the job. */
const look = (changes: { readonly visitsThrough?: Date; readonly isMailSetUp?: boolean } = {}) =>
  lookForAlerts({
    app: kit.app,
    system: kit.system,
    now: kit.clock.now(),
    visitsThrough: kit.clock.now(),
    isMailSetUp: true,
    signal: new AbortController().signal,
    ...changes,
  });

async function openTeam(traits: Parameters<typeof scene>[1] = {}) {
  const shop = await scene(world, { timeZone: 'America/Santiago', scopes: ['analytics:read'], ...traits });
  const { profileId, workspaceId, ledger } = shop;
  const member = (role: 'owner' | 'admin' | 'viewer') => buildMember(kit.app, workspaceId, role);
  const [owner, admin, viewer] = [await member('owner'), await member('admin'), await member('viewer')];
  const mailOf = async (who: typeof owner, payload?: object) => {
    const headers = { ...who.headers({ profileId }), origin: 'https://tributary.test' };
    const method = payload ? 'PUT' : 'GET';
    const answer = await api.call({ method, url: '/api/v1/alerts/mail', headers, ...(payload && { payload }) });
    return answer.json();
  };
  return {
    ...shop,
    owner,
    admin,
    viewer,
    mailOf,
    key: await buildTrackingKey(kit.app, profileId),
    visited: () =>
      kit.app.unbound.query(
        sql`SELECT note_last_visits(${[profileId]}::uuid[], ${[kit.clock.now()]}::timestamptz[], interval '10 minutes')`,
      ),
    /** An entity change that waits to be copied since a moment. */
    waits: (since: Date) =>
      ledger.transaction((tx) =>
        sql`INSERT INTO dirty_entities (profile_id, entity_id, revision, marked_at)
          VALUES (${profileId}, ${uuid()}, 1, ${since})`.execute(tx),
      ),
    open: async () => (await shop.ask('/api/v1/alerts')).body.data,
    events: async () =>
      (
        await kit.system.unbound.query(
          sql<{ type: string; payload: Record<string, unknown> }>`
            SELECT type, payload FROM outbox WHERE profile_id = ${profileId} AND type LIKE 'alert.%' ORDER BY occurred_at`,
        )
      ).rows,
    /** Runs the queue as the only worker. */
    work: async (through: Mailer = mailer) => {
      const queue = alertMails({
        app: kit.app,
        mailer: through,
        baseUrl: 'https://tributary.test',
        now: () => kit.clock.now(),
      });
      const { signal } = new AbortController();
      const batch = await queue.load(profileId, 20, signal);
      await queue.work({ key: profileId, ...batch, signal, renewLease: async () => {} });
    },
  };
}

test('alerts subscribed members once when a tracker falls silent, and once when visits return', async () => {
  const team = await openTeam();
  // A shop with ongoing visits and one that never had any get no alert.
  const [lively, fresh] = [await openTeam(), await openTeam()];
  await team.visited();
  expect((await team.mailOf(team.owner)).data).toEqual({ is_wanted: true, language: 'en' });
  expect(await team.mailOf(team.viewer)).toMatchObject({ data: { is_wanted: false }, meta: { is_set_up: true } });
  await team.mailOf(team.admin, { is_wanted: false, language: 'en' });
  await team.mailOf(team.viewer, { is_wanted: true, language: 'es' });

  kit.clock.advance(limits.tracking.silentAfterHours * hourMs - 1);
  await lively.visited();
  expect(await look()).toEqual({ opened: 0, ended: 0 });
  expect(await team.open()).toEqual([]);
  kit.clock.advance(1);
  expect(await look()).toEqual({ opened: 1, ended: 0 });
  expect(await look()).toEqual({ opened: 0, ended: 0 });
  const [alert] = await team.open();
  expect(alert).toEqual({
    id: expect.any(String),
    kind: 'tracker_silent',
    since: '2026-06-15T12:00:00.000Z',
    opened_at: '2026-06-16T12:00:00.000Z',
  });
  expect([await lively.open(), await fresh.open()]).toEqual([[], []]);
  await team.work();
  await team.work();
  expect(inbox.map(({ to }) => to).sort()).toEqual([team.owner.email, team.viewer.email].sort());
  const lastText = (email: string) => inbox.findLast(({ to }) => to === email)?.text ?? '';
  for (const words of [
    'no visits are arriving',
    'Jun 15, 2026, 8:00',
    `https://tributary.test/p/${team.profileId}/tracking`,
    `<https://tributary.test/p/${team.profileId}/report-mails>`,
  ])
    expect(lastText(team.owner.email)).toContain(words);
  expect(lastText(team.viewer.email)).toContain('No ha llegado ninguna visita en 24 horas');

  // A member who unsubscribed is not notified of the end either.
  await team.mailOf(team.viewer, { is_wanted: false, language: 'es' });
  await team.visited();
  kit.clock.advance(5 * minuteMs);
  expect(await look()).toEqual({ opened: 0, ended: 1 });
  expect(await look()).toEqual({ opened: 0, ended: 0 });
  expect(await team.open()).toEqual([]);
  await team.work();
  expect(inbox.slice(2).map(({ to }) => to)).toEqual([team.owner.email]);
  expect(lastText(team.owner.email)).toContain('visits are arriving again');
  const data = { profile_id: team.profileId, alert_id: alert.id, kind: 'tracker_silent', since: alert.since };
  const opened = { ...data, opened_at: alert.opened_at };
  expect(await team.events()).toEqual([
    { type: 'alert.opened', payload: opened },
    { type: 'alert.ended', payload: { ...opened, ended_at: '2026-06-16T12:05:00.000Z' } },
  ]);

  // It may fall silent again; revoking the tracking key ends the alert, because no visits are expected any more.
  kit.clock.advance(37 * hourMs);
  await lively.visited();
  expect(await look()).toEqual({ opened: 1, ended: 0 });
  await team.ledger.transaction((tx) =>
    sql`UPDATE tracking_keys SET revoked_at = now() WHERE id = ${team.key.id}`.execute(tx),
  );
  expect(await look()).toEqual({ opened: 0, ended: 1 });
  expect(await look()).toEqual({ opened: 0, ended: 0 });
  // A mail that was not sent yet needs no mail about the end.
  await team.work();
  expect(inbox).toHaveLength(3);
});

test('a site with rare visits is silent after 1.5 times its longest pause, and old pauses are forgotten', async () => {
  const team = await openTeam();
  const pause = (hours: number) => kit.clock.advance(hours * hourMs);
  const isOpen = async () => {
    await look();
    return (await team.open()).length === 1;
  };
  await team.visited();
  pause(60);
  expect(await isOpen()).toBe(true);
  await team.visited();
  expect(await isOpen()).toBe(false);
  // Now its longest known pause is 60 hours.
  pause(89);
  expect(await isOpen()).toBe(false);
  pause(1);
  expect(await isOpen()).toBe(true);
  await team.visited();
  // After two months with a visit every twelve hours, a day without one is long again.
  for (let visits = 0; visits < 120; visits += 1) {
    pause(12);
    await team.visited();
  }
  pause(23);
  expect(await isOpen()).toBe(false);
  pause(1);
  expect(await isOpen()).toBe(true);
});

test('visits waiting in the stream do not count as silence', async () => {
  const team = await openTeam();
  await team.visited();
  kit.clock.advance(30 * hourMs);
  const visitsThrough = new Date(+kit.clock.now() - 10 * hourMs);
  await look({ visitsThrough });
  expect(await team.open()).toEqual([]);
  await look();
  expect(await team.open()).toHaveLength(1);
});

test('figures are late after an hour, and the alert ends only when nothing is behind', async () => {
  const team = await openTeam();
  const since = kit.clock.now();
  await team.waits(since);
  kit.clock.advance(limits.alerts.lateAfterMinutes * minuteMs - 1);
  await look();
  expect(await team.open()).toEqual([]);
  kit.clock.advance(1);
  await look();
  expect(await team.open()).toMatchObject([{ kind: 'figures_late', since: since.toISOString() }]);
  await team.work();
  expect(inbox.map(({ text }) => text.includes('figures are late'))).toEqual([true, true]);
  // Half of the work is processed: still behind, so the alert neither ends nor repeats.
  const workedOff = (until: Date) =>
    team.ledger.transaction((tx) => sql`DELETE FROM dirty_entities WHERE marked_at <= ${until}`.execute(tx));
  await team.waits(new Date(+kit.clock.now() - 10 * minuteMs));
  await workedOff(since);
  await look();
  expect(await team.open()).toHaveLength(1);
  await workedOff(kit.clock.now());
  await look();
  expect(await team.open()).toEqual([]);
  await team.work();
  expect(inbox.slice(2).map(({ text }) => text.includes('figures are up to date again'))).toEqual([true, true]);
});

test('never resends a mail that may have arrived, and a healthcare profile sends none', async () => {
  const team = await openTeam();
  await team.mailOf(team.admin, { is_wanted: false, language: 'en' });
  const late = async () => {
    await team.waits(new Date(+kit.clock.now() - 2 * hourMs));
    await look();
  };
  const over = async () => {
    await team.ledger.transaction((tx) => sql`DELETE FROM dirty_entities`.execute(tx));
    await look();
  };
  await late();
  const dies: Mailer = { ...mailer, send: () => Promise.reject(new Error('killed')) };
  await expect(team.work(dies)).rejects.toThrow('killed');
  kit.clock.advance(10 * minuteMs);
  await team.work();
  await team.work();
  expect(inbox).toEqual([]);
  // It may have arrived, so the mail about its end is sent.
  await over();
  await team.work();
  expect(inbox).toHaveLength(1);

  // Without a mail server no mails are created.
  await team.waits(new Date(+kit.clock.now() - 2 * hourMs));
  await look({ isMailSetUp: false });
  expect(await team.open()).toHaveLength(1);
  await team.work();
  await over();
  await kit.app
    .forWorkspace(team.workspaceId)
    .transaction((tx) => sql`UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = ${team.profileId}`.execute(tx));
  await late();
  expect(await team.open()).toHaveLength(1);
  const { rows } = await team.ledger.transaction((tx) =>
    sql`SELECT FROM alert_mails WHERE state = 'waiting'`.execute(tx),
  );
  expect([rows, inbox.length]).toEqual([[], 1]);
  expect(await team.events()).toHaveLength(5);
});

test('alerts members to a sync that fails for an hour, and again when all syncs work', async () => {
  const [team, other] = [await openTeam(), await openTeam()];
  const since = kit.clock.now();
  const connections = [
    await buildConnection(kit, { id: team.profileId, workspaceId: team.workspaceId }, { channel: 'crm_a' }),
    await buildConnection(kit, { id: team.profileId, workspaceId: team.workspaceId }, { channel: 'social_ads' }),
  ];
  await team.ledger.transaction((tx) =>
    sql`INSERT INTO syncs (profile_id, connection_id, channel, due_at, state, failing_since)
      SELECT profile_id, id, channel, now(), 'failed', ${since} FROM connections`.execute(tx),
  );
  const works = (connectionId: string | undefined) =>
    team.ledger.transaction((tx) =>
      sql`UPDATE syncs SET failing_since = NULL WHERE connection_id = ${connectionId}`.execute(tx),
    );
  kit.clock.advance(limits.alerts.syncFailingAfterMinutes * minuteMs - 1);
  await look();
  expect(await team.open()).toEqual([]);
  kit.clock.advance(1);
  await look();
  expect(await team.open()).toMatchObject([{ kind: 'sync_failing', since: since.toISOString() }]);
  expect(await other.open()).toEqual([]);
  await team.work();
  expect(inbox.map(({ text }) => text.includes(`/p/${team.profileId}/connections`))).toEqual([true, true]);
  await works(connections[0]);
  await look();
  expect(await team.open()).toHaveLength(1);
  await works(connections[1]);
  await look();
  expect(await team.open()).toEqual([]);
  await team.work();
  expect(inbox.slice(2).map(({ text }) => text.includes('all connected accounts are read again'))).toEqual([
    true,
    true,
  ]);
});

test('a profile sees only its own alerts', async () => {
  const [one, other] = [await openTeam(), await openTeam()];
  // Here a conversion waits for attribution.
  const since = new Date(+kit.clock.now() - 2 * hourMs);
  await one.ledger.transaction((tx) =>
    sql`INSERT INTO dirty_conversions (profile_id, outcome_id, marked_at) VALUES (${one.profileId}, ${uuid()}, ${since})`.execute(
      tx,
    ),
  );
  await look();
  expect(await one.open()).toMatchObject([{ kind: 'figures_late', since: since.toISOString() }]);
  expect(await other.open()).toEqual([]);
});
