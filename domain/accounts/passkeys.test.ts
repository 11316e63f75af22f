import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createPasswords, createUser, resetPassword } from '@tributary/domain/accounts/room.ts';
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

const wrongly = { origin: 'https://evil.test', rpId: 'evil.test' } as const;
interface Lies {
  readonly origin?: string;
  readonly rpId?: string;
  /** Nobody showed a finger, a face or a PIN. */
  readonly isUnverified?: boolean;
}

/** What a device does: it keeps a key for a name, and signs with it. */
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
  const said = (type: string, challenge: string, { origin: from = origin }: Lies) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const data = (flags: number, { rpId = 'tributary.test', isUnverified }: Lies, rest: Buffer) => {
    uses += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(uses);
    const hash = createHash('sha256').update(rpId).digest();
    return Buffer.concat([hash, Buffer.from([flags | (isUnverified ? 1 : 5)]), counter, rest]);
  };
  const shown = (response: Record<string, Buffer>) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    response: Object.fromEntries(Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')])),
  });
  return {
    create(challenge: string, lies: Lies = {}) {
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]);
      const authData = data(0x40, lies, attested);
      const words = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        words('fmt'),
        words('none'),
        words('attStmt'),
        Buffer.from([0xa0]),
        words('authData'),
        Buffer.from([0x58, authData.length]),
        authData,
      ]);
      return shown({ clientDataJSON: said('webauthn.create', challenge, lies), attestationObject });
    },
    get(challenge: string, lies: Lies = {}) {
      const [clientDataJSON, authenticatorData] = [
        said('webauthn.get', challenge, lies),
        data(0, lies, Buffer.alloc(0)),
      ];
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]);
      return shown({ clientDataJSON, authenticatorData, signature: sign('sha256', signed, privateKey) });
    },
  };
}
type Device = ReturnType<typeof newDevice>;

async function newPerson() {
  count += 1;
  const user = await createUser(operator, { email: `passkey${count}@example.com`, name: 'Ana', password });
  const { cookie } = await call('POST', '/sign-in', '', { email: user.email, password });
  return { ...user, cookie };
}
const begin = (cookie: string) => call('POST', '/passkeys/challenge', cookie, { current_password: password });
async function add(cookie: string, device: Device, lies?: Lies) {
  const { data } = await begin(cookie);
  const credential = device.create(data.options.challenge, lies);
  return call('POST', '/passkeys', cookie, { challenge: data.challenge, name: 'My telephone', credential });
}
async function signIn(device: Device, lies?: Lies) {
  const { data } = await call('POST', '/sign-in/passkey/challenge');
  const body = { challenge: data.challenge, credential: device.get(data.options.challenge, lies) };
  return { body, ...(await call('POST', '/sign-in/passkey', '', body)) };
}

describe('a passkey', () => {
  test('signs in by itself, is listed, and signs nobody in once it is given up', async () => {
    const [person, device] = [await newPerson(), newDevice()];
    const added = await add(person.cookie, device);
    expect([added.status, added.data]).toEqual([
      201,
      { id: expect.any(String), name: 'My telephone', created_at: kit.clock.now().toISOString() },
    ]);
    const signedIn = await signIn(device);
    expect([signedIn.status, signedIn.data]).toEqual([200, { id: person.id, name: 'Ana', email: person.email }]);
    expect((await call('GET', '', signedIn.cookie)).data).toMatchObject({ id: person.id });
    const entries = (await auditEntries(kit, 'installation')).filter(({ target }) => target === `user:${person.id}`);
    expect(entries.at(-1)).toMatchObject({ action: 'account.signed_in', detail: { passkey: true } });
    expect((await call('GET', '/passkeys', signedIn.cookie)).data).toMatchObject([{ id: added.data.id }]);

    const stranger = await newPerson();
    const path = `/passkeys/${added.data.id}`;
    expect((await call('DELETE', path, stranger.cookie)).status).toBe(404);
    expect((await call('DELETE', path, person.cookie)).status).toBe(200);
    expect((await call('GET', '/passkeys', person.cookie)).data).toEqual([]);
    expect((await signIn(device)).status).toBe(401);
  });

  test('401: a device that nobody has, a challenge that was used, another site, a hand that was not asked', async () => {
    const [person, device] = [await newPerson(), newDevice()];
    await add(person.cookie, device);
    expect((await signIn(newDevice())).status).toBe(401);
    const { body, status } = await signIn(device);
    expect([status, (await call('POST', '/sign-in/passkey', '', body)).status]).toEqual([200, 401]);
    for (const lies of [{ origin: wrongly.origin }, { rpId: wrongly.rpId }, { isUnverified: true }])
      expect((await signIn(device, lies)).status).toBe(401);
    // The challenge of one who adds a passkey is none for signing in.
    const { data } = await begin(person.cookie);
    const credential = device.get(data.options.challenge);
    expect((await call('POST', '/sign-in/passkey', '', { challenge: data.challenge, credential })).status).toBe(401);
  });

  test('422: is not added when it is not what was asked for, or is asked for by somebody else', async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    for (const lies of [{ origin: wrongly.origin }, { rpId: wrongly.rpId }, { isUnverified: true }])
      expect((await add(person.cookie, newDevice(), lies)).code).toBe('validation_error');
    const { data } = await begin(person.cookie);
    const body = { challenge: data.challenge, name: 'x', credential: newDevice().create(data.options.challenge) };
    expect((await call('POST', '/passkeys', other.cookie, body)).status).toBe(422);
    expect((await call('GET', '/passkeys', other.cookie)).data).toEqual([]);
  });

  test('400: is begun only by whoever shows the password; 409: a person has a bounded number', async () => {
    const { id, cookie } = await newPerson();
    const wrong = { current_password: 'not the password' };
    expect((await call('POST', '/passkeys/challenge', cookie, wrong)).code).toBe('current_password_invalid');
    await kit.owner.unbound.query(sql`
      INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, device_type, backed_up, created_at)
      SELECT gen_random_uuid(), ${id}, gen_random_uuid(), '', 0, 'singleDevice', false, now()
      FROM generate_series(1, ${limits.passkeys.most}::int)`);
    expect((await begin(cookie)).code).toBe('invalid_state');
  });

  test('goes when the operator takes away the second factor with a new password', async () => {
    const [person, device] = [await newPerson(), newDevice()];
    await add(person.cookie, device);
    await resetPassword(operator, person.email, { withSecondFactor: true });
    expect((await signIn(device)).status).toBe(401);
  });
});

test.each([
  ['https://tributary.test', true],
  ['http://localhost:4000', true],
  ['http://tributary.test', false],
  ['http://127.0.0.1:4000', false],
  ['https://[::1]:4000', false],
])('a browser binds a key to a name: %s: %s', (baseUrl, expected) => {
  expect(canHavePasskeys(baseUrl)).toBe(expected);
});
