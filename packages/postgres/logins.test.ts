import { openTestkit, type Testkit } from '@tributary/testkit';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeLogin, loginOf, retireLogin, withLogin } from './index.ts';

let kit: Testkit;
let admin: pg.Client;
// Roles belong to the whole server, so this test uses a role of its own.
const role = `login_test_${uuid().replaceAll('-', '')}`;
const alternate = `${role}_alternate`;
beforeAll(async () => {
  kit = await openTestkit();
  admin = await connect('postgres', new URL(kit.database.ownerUrl).password);
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'first'`);
  await admin.query(`CREATE TABLE login_test (n int); GRANT SELECT ON login_test TO ${role}`);
});
afterAll(async () => {
  await admin?.query(`DROP OWNED BY ${role}; DROP ROLE IF EXISTS ${alternate}; DROP ROLE ${role}`);
  await admin?.end();
  await kit?.close();
});

async function connect(login: string, password: string): Promise<pg.Client> {
  const client = new pg.Client(withLogin(kit.database.ownerUrl, login, password));
  await client.connect();
  return client;
}

/** Connects, reads as the role and disconnects. */
async function read(login: string, password: string): Promise<string> {
  const client = await connect(login, password);
  try {
    await client.query('SELECT n FROM login_test');
    return (await client.query('SELECT current_user AS role')).rows[0].role;
  } finally {
    await client.end();
  }
}

const refused = /password authentication failed|is not permitted to log in/;

test('a role changes between two logins, and both passwords work until one is retired', async () => {
  expect(await changeLogin(admin, { role, current: role, password: 'second' })).toBe(alternate);
  expect([await read(role, 'first'), await read(alternate, 'second')]).toEqual([role, role]);
  await expect(read(alternate, 'first')).rejects.toThrow(refused);

  const connected = await connect(role, 'first');
  await expect(retireLogin(admin, { role, current: alternate })).rejects.toThrow(`${role} has 1 open connections`);
  await expect(changeLogin(admin, { role, current: alternate, password: 'third' })).rejects.toThrow(/open connections/);
  await connected.end();
  await expect.poll(() => retireLogin(admin, { role, current: alternate }).catch(String)).toBe(role);
  await expect(read(role, 'first')).rejects.toThrow(refused);
  expect(await read(alternate, 'second')).toBe(role);

  expect(await changeLogin(admin, { role, current: alternate, password: 'third' })).toBe(role);
  expect([await read(role, 'third'), await read(alternate, 'second')]).toEqual([role, role]);
});

test('throws for a login that does not belong to the role', async () => {
  await expect(changeLogin(admin, { role, current: 'tributary_app', password: 'x' })).rejects.toThrow(
    `"tributary_app" is not a login of ${role}`,
  );
});

test('the server stores the password as a SCRAM verifier', async () => {
  const { rows } = await admin.query('SELECT rolpassword FROM pg_authid WHERE rolname = $1', [role]);
  expect(rows[0].rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/);
});

test.each([
  ['postgres://one:5432/db', '', 'postgres://a%40b:p%2F1@one:5432/db'],
  ['postgres://x@one:5432,two:5432/db?ssl=1', 'x', 'postgres://a%40b:p%2F1@one:5432,two:5432/db?ssl=1'],
  ['postgres://x%2Fy:old@one/db', 'x/y', 'postgres://a%40b:p%2F1@one/db'],
])('reads and replaces the login of %s', (url, login, changed) => {
  expect([loginOf(url), withLogin(url, 'a@b', 'p/1')]).toEqual([login, changed]);
});
