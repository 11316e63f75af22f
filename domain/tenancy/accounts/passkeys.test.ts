import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createPasswords, createUser, resetPassword } from '@tributary/domain/tenancy/accounts/module.ts';
import { auditEntries, openTest, operatorOf } from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { canHavePasskeys } from './passkeys.ts';

const { kit, api } = await openTest();
kit.clock.set(new Date());
const operator = { operator: operatorOf(kit), passwords: createPasswords(10) };
const password = 'vague otter lamp';
const origin = 'https://tributary.test';
let count = 0;

const call = async (method: 'GET' | 'POST' | 'DELETE', url: string, cookie = '', body?: unknown) => {
  count += 1;
  const response = await api.fastify.inject({
    method,
    url: `/api/v1/account${url}`,
    headers: { 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }), 'content-type': 'application/json' },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
    remoteAddress: `2001:db8:${count.toString(16)}::1`,
  });
  const { data, error } = response.json();
  const setCookie = String(response.headers['set-cookie'] ?? '');
  return { status: response.statusCode, data, code: error?.code, cookie: setCookie.split(';')[0] ?? '' };
};

const wrongSite = { origin: 'https://evil.test', rpId: 'evil.test' } as const;
interface Manipulation {
  readonly origin?: string;
  readonly rpId?: string;
  /** Without user verification (biometrics or PIN). */
  readonly isUnverified?: boolean;
}

/** A simulated authenticator with one key. */
function newDevice() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  let uses = 0;
  const clientData = (type: string, challenge: string, { origin: from = origin }: Manipulation) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const data = (flags: number, { rpId = 'tributary.test', isUnverified }: Manipulation, rest: Buffer) => {
    uses += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(uses);
    const hash = createHash('sha256').update(rpId).digest();
    return Buffer.concat([hash, Buffer.from([flags | (isUnverified ? 1 : 5)]), counter, rest]);
  };
  const toCredential = (response: Record<string, Buffer>) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    response: Object.fromEntries(Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')])),
  });
  return {
    create(challenge: string, manipulation: Manipulation = {}) {
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]);
      const authData = data(0x40, manipulation, attested);
      const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        Buffer.from([0xa0]),
        cborText('authData'),
        Buffer.from([0x58, authData.length]),
        authData,
      ]);
      return toCredential({
        clientDataJSON: clientData('webauthn.create', challenge, manipulation),
        attestationObject,
      });
    },
    get(challenge: string, manipulation: Manipulation = {}) {
      const [clientDataJSON, authenticatorData] = [
        clientData('webauthn.get', challenge, manipulation),
        data(0, manipulation, Buffer.alloc(0)),
      ];
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]);
      return toCredential({ clientDataJSON, authenticatorData, signature: sign('sha256', signed, privateKey) });
    },
  };
}
type Device = ReturnType<typeof newDevice>;

async function newUser() {
  count += 1;
  const user = await createUser(operator, { email: `passkey${count}@example.com`, name: 'Ana', password });
  const { cookie } = await call('POST', '/sign-in', '', { email: user.email, password });
  return { ...user, cookie };
}
const begin = (cookie: string) => call('POST', '/passkeys/challenge', cookie, { current_password: password });
async function add(cookie: string, device: Device, manipulation?: Manipulation) {
  const { data } = await begin(cookie);
  const credential = device.create(data.options.challenge, manipulation);
  return call('POST', '/passkeys', cookie, { challenge: data.challenge, name: 'My telephone', credential });
}
async function signIn(device: Device, manipulation?: Manipulation) {
  const { data } = await call('POST', '/sign-in/passkey/challenge');
  const body = { challenge: data.challenge, credential: device.get(data.options.challenge, manipulation) };
  return { body, ...(await call('POST', '/sign-in/passkey', '', body)) };
}

describe('a passkey', () => {
  test('signs in without a password, is listed, and stops working once deleted', async () => {
    const [user, device] = [await newUser(), newDevice()];
    const added = await add(user.cookie, device);
    expect([added.status, added.data]).toEqual([
      201,
      { id: expect.any(String), name: 'My telephone', created_at: kit.clock.now().toISOString() },
    ]);
    const signedIn = await signIn(device);
    expect([signedIn.status, signedIn.data]).toEqual([200, { id: user.id, name: 'Ana', email: user.email }]);
    expect((await call('GET', '', signedIn.cookie)).data).toMatchObject({ id: user.id });
    const entries = (await auditEntries(kit, 'installation')).filter(({ target }) => target === `user:${user.id}`);
    expect(entries.at(-1)).toMatchObject({ action: 'account.signed_in', detail: { passkey: true } });
    expect((await call('GET', '/passkeys', signedIn.cookie)).data).toMatchObject([{ id: added.data.id }]);

    const otherUser = await newUser();
    const path = `/passkeys/${added.data.id}`;
    expect((await call('DELETE', path, otherUser.cookie)).status).toBe(404);
    expect((await call('DELETE', path, user.cookie)).status).toBe(200);
    expect((await call('GET', '/passkeys', user.cookie)).data).toEqual([]);
    expect((await signIn(device)).status).toBe(401);
  });

  test('401: for an unknown device, a used challenge, another site or missing user verification', async () => {
    const [user, device] = [await newUser(), newDevice()];
    await add(user.cookie, device);
    expect((await signIn(newDevice())).status).toBe(401);
    const { body, status } = await signIn(device);
    expect([status, (await call('POST', '/sign-in/passkey', '', body)).status]).toEqual([200, 401]);
    for (const manipulation of [{ origin: wrongSite.origin }, { rpId: wrongSite.rpId }, { isUnverified: true }])
      expect((await signIn(device, manipulation)).status).toBe(401);
    // A challenge for adding a passkey is not valid for sign-in.
    const { data } = await begin(user.cookie);
    const credential = device.get(data.options.challenge);
    expect((await call('POST', '/sign-in/passkey', '', { challenge: data.challenge, credential })).status).toBe(401);
  });

  test('422: is not added with a wrong origin or with the challenge of another user', async () => {
    const [user, other] = [await newUser(), await newUser()];
    for (const manipulation of [{ origin: wrongSite.origin }, { rpId: wrongSite.rpId }, { isUnverified: true }])
      expect((await add(user.cookie, newDevice(), manipulation)).code).toBe('validation_error');
    const { data } = await begin(user.cookie);
    const body = { challenge: data.challenge, name: 'x', credential: newDevice().create(data.options.challenge) };
    expect((await call('POST', '/passkeys', other.cookie, body)).status).toBe(422);
    expect((await call('GET', '/passkeys', other.cookie)).data).toEqual([]);
  });

  test('400: adding requires the current password; 409: the number per user is limited', async () => {
    const { id, cookie } = await newUser();
    const wrong = { current_password: 'not the password' };
    expect((await call('POST', '/passkeys/challenge', cookie, wrong)).code).toBe('current_password_invalid');
    await kit.owner.unbound.query(sql`
      INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, device_type, backed_up, created_at)
      SELECT gen_random_uuid(), ${id}, gen_random_uuid(), '', 0, 'singleDevice', false, now()
      FROM generate_series(1, ${limits.passkeys.most}::int)`);
    expect((await begin(cookie)).code).toBe('invalid_state');
  });

  test('is removed when the operator resets the password with the second factor', async () => {
    const [user, device] = [await newUser(), newDevice()];
    await add(user.cookie, device);
    await resetPassword(operator, user.email, { withSecondFactor: true });
    expect((await signIn(device)).status).toBe(401);
  });
});

test.each([
  ['https://tributary.test', true],
  ['http://localhost:4000', true],
  ['http://tributary.test', false],
  ['http://127.0.0.1:4000', false],
  ['https://[::1]:4000', false],
])('passkeys are available at %s: %s', (baseUrl, expected) => {
  expect(canHavePasskeys(baseUrl)).toBe(expected);
});
