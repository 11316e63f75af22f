import { ProviderFault } from '@tributary/providers';
import { buildProfile } from '@tributary/testkit';
import { expect, test } from 'vitest';
import { openConnections } from './connections.fixture.ts';
import { applyFault, findConnected, findConnection, openAccount, saveConnection } from './index.ts';

const { kit, toy, shop, services } = await openConnections('social_ads', 'crm_a');

const candidate = { externalId: 'act_1', name: 'Shop Chile', granted: ['ads_read'], details: { currency: 'CLP' } };

test('an account is connected once per workspace, with encrypted credentials, and a new consent renews the same connection [conn-001] [evnt-008]', async () => {
  const { profile, ledger, row, announced } = await shop();
  const made = {
    profileId: profile.id,
    workspaceId: profile.workspaceId,
    appId: profile.appId,
    channel: 'social_ads' as const,
    candidate,
    credentials: toy.credentials(),
    now: kit.clock.now(),
  };
  const save = (more: object = {}) => ledger.transaction((tx) => saveConnection(tx, services, { ...made, ...more }));
  const first = await save();
  if (first === 'account_connected_elsewhere') throw new Error('the account is not connected elsewhere');
  const { connectionId } = first;
  expect(await row(connectionId)).toMatchObject({ status: 'connected', name: 'Shop Chile', credentials_revision: 1 });
  expect(String((await row(connectionId)).credentials)).not.toContain('access-1');
  // Another profile of the workspace, which cannot see the row.
  const sister = await buildProfile(kit.app, { workspaceId: profile.workspaceId });
  const elsewhere = kit.app
    .forProfile(sister.id)
    .transaction((tx) => saveConnection(tx, services, { ...made, profileId: sister.id }));
  expect(await elsewhere).toBe('account_connected_elsewhere');
  expect(await save({ candidate: { ...candidate, name: 'Shop' } })).toEqual({ connectionId });
  expect(await row(connectionId)).toMatchObject({ name: 'Shop', credentials_revision: 2 });
  expect(await announced()).toEqual(['connection.connected', 'connection.connected']);
  const found = await ledger.transaction(async (tx) => ({
    connected: await findConnected(tx, profile.id, 'social_ads'),
    none: await findConnected(tx, profile.id, 'crm_a'),
    foreign: await findConnection(tx, sister.id, connectionId),
  }));
  expect(found.connected?.id).toBe(connectionId);
  expect([found.none, found.foreign]).toEqual([undefined, undefined]);
  // PostgreSQL switches to a generic plan for frequent statements: the conflict must be detected with that plan, too.
  const many = await ledger.transaction(async (tx) => {
    const results: unknown[] = [];
    for (let n = 0; n < 120; n += 1)
      results.push(
        await saveConnection(tx, services, { ...made, candidate: { ...candidate, externalId: `many_${n}` } }),
      );
    return results;
  });
  expect(new Set(many.map((one) => (one as { connectionId: string }).connectionId)).size).toBe(120);
});

test('a reconnected CRM keeps the currency of its deals, even after the profile’s currency changed', async () => {
  const { profile, ledger, row } = await shop();
  const providers = { of: () => toy.provider('crm_a', { assumesCurrency: true }) };
  const made = {
    profileId: profile.id,
    workspaceId: profile.workspaceId,
    appId: profile.appId,
    channel: 'crm_a' as const,
    candidate: { externalId: 'location-1', name: 'Shop Chile', granted: [], details: {} },
    credentials: toy.credentials(),
    now: kit.clock.now(),
  };
  const save = () => ledger.transaction((tx) => saveConnection(tx, { ...services, providers }, made));
  const { connectionId } = (await save()) as { connectionId: string };
  await ledger.transaction((tx) =>
    tx.updateTable('profiles').set({ reporting_currency: 'CLP' }).where('id', '=', profile.id).execute(),
  );
  expect(await save()).toEqual({ connectionId });
  expect((await row(connectionId)).details).toEqual({ currency: 'USD' });
});

test('expiring credentials are refreshed once by concurrent callers, and a lost pair requires a reconnect [evnt-009]', async () => {
  const { profile, services: mine, connect, row, announced } = await shop();
  const now = kit.clock.now();
  const id = await connect('social_ads', { credentials: toy.credentials(new Date(now.getTime() - 1)) });
  const opened = await Promise.all(Array.from({ length: 8 }, () => openAccount(mine, profile.id, id, now)));
  expect(toy.refreshes).toBe(1);
  expect(new Set(opened.map(({ account }) => (account.credentials as { access: string }).access))).toEqual(
    new Set(['access-2']),
  );
  expect(await row(id)).toMatchObject({ credentials_revision: 2, refresh_holder: null, status: 'connected' });
  // The provider issued credentials that were never stored.
  toy.refreshToken = 'lost';
  const later = new Date(now.getTime() + 7_200_000);
  await expect(openAccount(mine, profile.id, id, later)).rejects.toThrow(ProviderFault);
  expect(await row(id)).toMatchObject({ status: 'reconnect_required' });
  await expect(openAccount(mine, profile.id, id, later)).rejects.toMatchObject({ reason: 'reconnect_required' });
  expect(await announced()).toEqual(['connection.reconnect_required']);
});

test('a fault changes the status by its verdict, unless the credentials were replaced meanwhile [conn-012]', async () => {
  const { profile, ledger, connect, row } = await shop();
  const id = await connect('crm_a');
  const note = async (verdict: 'wait' | 'needs_action' | 'reconnect' | 'refused', revision = 1) => {
    const fault = new ProviderFault({ verdict, code: 'x', says: 'x' });
    const faulty = { profileId: profile.id, connectionId: id, revision, now: kit.clock.now() };
    await ledger.transaction((tx) => applyFault(tx, faulty, fault));
    return (await row(id)).status;
  };
  expect(await note('wait')).toBe('connected');
  expect(await note('refused')).toBe('connected');
  expect(await note('reconnect', 0)).toBe('connected');
  expect(await note('needs_action')).toBe('needs_action');
  expect(await note('reconnect')).toBe('reconnect_required');
});
