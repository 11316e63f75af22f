import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { type ClientBase, escapeIdentifier, escapeLiteral } from 'pg';

/**
 * PostgreSQL stores one password per login. Two logins per role let processes change to a new password one after the other. One of them is
 * in use: the role itself, or an alternate that assumes the role when it connects.
 */
const alternateLogin = (role: string): string => `${role}_alternate`;

/** The role's login that is not `current`. */
function otherLogin(role: string, current: string): string {
  const logins = [role, alternateLogin(role)];
  if (!logins.includes(current))
    throw new Error(`"${current}" is not a login of ${role}. The logins are ${logins.join(' and ')}.`);
  return current === role ? alternateLogin(role) : role;
}

/** Sets the password of the login that is not in use. The login in use keeps its own. */
export async function changeLogin(
  admin: ClientBase,
  { role, current, password }: { readonly role: string; readonly current: string; readonly password: string },
): Promise<string> {
  const next = otherLogin(role, current);
  await assertUnused(admin, next);
  const [name, group] = [escapeIdentifier(next), escapeIdentifier(role)];
  const { rowCount } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [next]);
  if (rowCount === 0) await admin.query(`CREATE ROLE ${name} NOLOGIN NOSUPERUSER IN ROLE ${group}`);
  if (next !== role) await admin.query(`ALTER ROLE ${name} SET role = ${escapeLiteral(role)}`);
  await admin.query(`ALTER ROLE ${name} LOGIN PASSWORD ${escapeLiteral(scramVerifier(password))}`);
  return next;
}

/** Disables the login that is not in use. */
export async function retireLogin(
  admin: ClientBase,
  { role, current }: { readonly role: string; readonly current: string },
): Promise<string> {
  const other = otherLogin(role, current);
  await assertUnused(admin, other);
  const { rowCount } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [other]);
  if (rowCount !== 0) await admin.query(`ALTER ROLE ${escapeIdentifier(other)} NOLOGIN PASSWORD NULL`);
  return other;
}

async function assertUnused(admin: ClientBase, login: string): Promise<void> {
  const { rows } = await admin.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = $1',
    [login],
  );
  const open = rows[0]?.n ?? 0;
  if (open > 0)
    throw new Error(
      `${login} has ${open} open connections. Restart the processes whose settings name this login, then try again.`,
    );
}

const iterations = 4_096;

/** The form in which PostgreSQL stores a password. It is sent instead of the password because servers may log statements. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyFor = (use: string) => createHmac('sha256', salted).update(use).digest();
  const storedKey = createHash('sha256').update(keyFor('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyFor('Server Key').toString('base64')}`;
}
