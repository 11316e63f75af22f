import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signingReader } from '@tributary/domain/traffic/tracking/module.ts';
import { browserVisit, buildApiKey, buildProfile, openTestWithClickHouse, testVault } from '@tributary/testkit';
import { dayMs, hourMs, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { delivered, messageOf, openTestIngestion } from './ingestion.fixture.ts';
import { pipeline } from './pipeline.ts';

const { kit, api, clickhouse } = await openTestWithClickHouse();

type IdentifyTraits = { external_id?: string; email?: string; phone?: string };
const signLikeGuide = await loadGuideSigner();
/** Signs with the code of the guide, at a given server time. */
function sign(traits: IdentifyTraits, secret: string, at = kit.clock.now()): string {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(at.getTime());
  try {
    return signLikeGuide(traits, secret);
  } finally {
    clock.mockRestore();
  }
}
let profileId: string;
let headers: Record<string, string>;
let keyId: string;
beforeEach(async () => {
  profileId = (await buildProfile(kit.app)).id;
  headers = { ...(await buildApiKey(kit.app, profileId, { scopes: ['attribution:write'] })).headers };
  keyId = (await call('POST', '/keys')).id;
});

const call = async (method: 'POST' | 'PATCH', path: string, body?: object) => {
  const url = `/api/v1/tracking${path}`;
  const answer = await api.call({ method, url, headers, ...(body && { payload: body }) });
  return answer.json().data;
};
const newSecret = async (): Promise<string> => (await call('POST', `/keys/${keyId}/identify-secret`)).identify_secret;
const requireSignature = () => call('PATCH', '/settings', { is_signed_identify_required: true });
const ingestion = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), {
  readSigning: signingReader(testVault),
});

/** Sends identify visits through the pipeline and resolves to the resulting links. */
async function identify(...visits: { traits: IdentifyTraits; signature?: string; clientId?: string }[]) {
  const at = kit.clock.now();
  for (const { traits, signature, clientId = uuid() } of visits) {
    const visit = browserVisit(at, { type: 'identify', traits, ...(signature && { signature }) });
    const message = messageOf({ profileId, receivedAt: at, client_id: clientId, visits: [visit] });
    await pipeline(ingestion)([delivered(message)]);
  }
  return kit.app.forProfile(profileId).transaction(async (tx) => {
    const { rows } = await sql<{ known_by: string; is_signed: boolean }>`
      SELECT i.value AS known_by, l.is_signed FROM visitor_links l
      JOIN identifiers i ON i.profile_id = l.profile_id AND i.customer_id = l.customer_id
      ORDER BY known_by, is_signed`.execute(tx);
    return rows;
  });
}

describe('an identify visit', () => {
  test('is stored as signed if the guide’s example code signed it with the key’s secret', async () => {
    const secret = await newSecret();
    const ana = { email: 'ana@mail.example', external_id: '42' };
    const eva = { email: 'eva@mail.example' };
    const links = await identify({ traits: ana, signature: sign(ana, secret) }, { traits: eva });
    // The shop's own customer id takes precedence over an email address.
    expect(links).toEqual([
      { known_by: '42', is_signed: true },
      { known_by: 'eva@mail.example', is_signed: false },
    ]);
  });

  test.each([
    ['of other traits', (secret: string) => sign({ email: 'eva@mail.example' }, secret)],
    ['with another secret', () => sign({ email: 'ana@mail.example' }, 'guessed')],
    ['that is invalid', () => 'f'.repeat(64)],
  ])('counts as unsigned with a signature %s', async (_which, make) => {
    const secret = await newSecret();
    const links = await identify({ traits: { email: 'ana@mail.example' }, signature: make(secret) });
    expect(links).toEqual([{ known_by: 'ana@mail.example', is_signed: false }]);
  });

  test('links nothing without a required signature, and its visit is stored', async () => {
    const secret = await newSecret();
    await requireSignature();
    const ana = { email: 'ana@mail.example' };
    expect(await identify({ traits: ana }, { traits: ana, signature: 'f'.repeat(64) })).toEqual([]);
    const counts = await clickhouse.query('visit_count', {
      profile_id: profileId,
      from: new Date(kit.clock.now().getTime() - 1_000),
      to: new Date(kit.clock.now().getTime() + 1_000),
    });
    expect(counts).toEqual([{ visits: '2' }]);
    expect(await identify({ traits: ana, signature: sign(ana, secret) })).toEqual([
      { known_by: 'ana@mail.example', is_signed: true },
    ]);
  });

  test.each([
    ['24 hours old', -dayMs, true],
    ['older than 24 hours', -dayMs - 1_000, false],
    ['one minute in the future', minuteMs, true],
    ['one hour in the future', hourMs, false],
  ])('with a signature %s, reports is_signed accordingly', async (_which, ms, is_signed) => {
    const secret = await newSecret();
    const ana = { email: 'ana@mail.example' };
    const signature = sign(ana, secret, new Date(kit.clock.now().getTime() + ms));
    expect(await identify({ traits: ana, signature })).toEqual([{ known_by: 'ana@mail.example', is_signed }]);
  });

  test('is not signed if the timestamp of the signature was changed', async () => {
    const secret = await newSecret();
    const ana = { email: 'ana@mail.example' };
    const old = sign(ana, secret, new Date(kit.clock.now().getTime() - 2 * dayMs));
    const signature = old.replace(/^\d+/, String(Math.floor(kit.clock.now().getTime() / 1_000)));
    expect(await identify({ traits: ana, signature })).toEqual([{ known_by: 'ana@mail.example', is_signed: false }]);
  });

  test('is signed with the older format without a timestamp', async () => {
    const secret = await newSecret();
    const ana = { email: 'ana@mail.example' };
    const signature = createHmac('sha256', secret).update('\nana@mail.example\n').digest('hex');
    expect(await identify({ traits: ana, signature })).toEqual([{ known_by: 'ana@mail.example', is_signed: true }]);
  });

  test('is signed only by the newest secret', async () => {
    const [old, fresh] = [await newSecret(), await newSecret()];
    const [ana, eva] = [{ email: 'ana@mail.example' }, { email: 'eva@mail.example' }];
    const visits = [
      { traits: ana, signature: sign(ana, old) },
      { traits: eva, signature: sign(eva, fresh) },
    ];
    expect((await identify(...visits)).map(({ is_signed }) => is_signed)).toEqual([false, true]);
  });
});

test('the secret is stored encrypted, and another profile cannot create one for this key', async () => {
  const secret = await newSecret();
  const { rows } = await kit.app
    .forProfile(profileId)
    .transaction((tx) => sql<{ row: string }>`SELECT t::text AS row FROM tracking_keys t`.execute(tx));
  expect(rows.map(({ row }) => row).join()).not.toContain(secret);
  expect(rows.map(({ row }) => row).join()).not.toContain(Buffer.from(secret).toString('hex'));
  const other = await buildApiKey(kit.app, (await buildProfile(kit.app)).id, { scopes: ['attribution:write'] });
  const url = `/api/v1/tracking/keys/${keyId}/identify-secret`;
  expect((await api.call({ method: 'POST', url, headers: { ...other.headers } })).statusCode).toBe(404);
});

/** Loads the signing code that the guide shows. */
async function loadGuideSigner(): Promise<(traits: IdentifyTraits, secret: string) => string> {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/install-the-tracker.md'), 'utf8');
  const code = /```js\n\/\/ On your server\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'guide-'));
  const file = join(folder, 'sign.mjs');
  writeFileSync(file, code);
  const module = await import(file);
  rmSync(folder, { recursive: true });
  return module.sign;
}
