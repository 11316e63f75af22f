import { randomBytes } from 'node:crypto';
import { answer } from '@tributary/operations';
import { backupRole, changeLogin, connectionTo, loginOf, retireLogin, roles, withLogin } from '@tributary/postgres';
import { Argument, Command } from 'commander';
import pg from 'pg';
import { adminUrlsOf } from '../admin-urls.ts';
import { type Ledgers, withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';

type Json = { json?: boolean };

/** Each PostgreSQL role with the setting of its login. */
const loginSettings = {
  owner: { role: roles.owner, setting: 'DATABASE_OWNER_URL', key: 'databaseOwnerUrl' },
  app: { role: roles.app, setting: 'DATABASE_APP_URL', key: 'databaseAppUrl' },
  system: { role: roles.system, setting: 'DATABASE_SYSTEM_URL', key: 'databaseSystemUrl' },
  collector: { role: roles.collector, setting: 'DATABASE_COLLECTOR_URL', key: 'databaseCollectorUrl' },
  backup: { role: backupRole, setting: 'DATABASE_BACKUP_URL', key: 'databaseBackupUrl' },
} as const;
type Name = keyof typeof loginSettings;

const asOwner = { asOwner: true } as const;
const rotating = {
  id: 'rotateDatabasePassword',
  audit: { action: 'database_password.rotated', of: 'database_login:{data.login}' },
} as const;
const retiring = {
  id: 'retireDatabasePassword',
  audit: { action: 'database_password.retired', of: 'database_login:{data.login}' },
} as const;

const sub = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .addArgument(new Argument('<role>', 'role of PostgreSQL').choices(Object.keys(loginSettings)))
    .option('--json', 'machine-readable output');

/** Rotates PostgreSQL passwords while processes are connected. */
export const databaseCommand = () =>
  new Command('database')
    .addCommand(
      sub(
        'rotate-password',
        'Create a new password on the second login of a role; the login in use stays valid',
      ).action((name: Name, { json }: Json) =>
        withLedgers(async (ledgers) => {
          const { role, setting, key } = loginSettings[name];
          const url = ledgers.settings[key];
          const password = randomBytes(24).toString('hex');
          const login = await onEveryServer(ledgers, (admin) =>
            changeLogin(admin, { role, current: loginOf(url), password }),
          );
          await ledgers.operator.effect(rotating, asOwner, async () => answer(200, { data: { login } }));
          printItem(
            { setting, url: withLogin(url, login, password) },
            json,
            `Created. Update the setting, restart the processes one at a time, then run "tributary database retire-password ${name}".`,
          );
        }),
      ),
    )
    .addCommand(
      sub('retire-password', 'Close the login that the setting no longer names').action((name: Name, { json }: Json) =>
        withLedgers(async (ledgers) => {
          const { role, key } = loginSettings[name];
          const current = loginOf(ledgers.settings[key]);
          const login = await onEveryServer(ledgers, (admin) => retireLogin(admin, { role, current }));
          await ledgers.operator.effect(retiring, asOwner, async () => answer(200, { data: { login } }));
          printItem({ login }, json, 'Closed.');
        }),
      ),
    );

/** Applies a change on every ledger server. Resolves to the login, which is the same on all of them. */
async function onEveryServer({ settings }: Ledgers, change: (admin: pg.Client) => Promise<string>): Promise<string> {
  let login = '';
  for (const url of adminUrlsOf(settings).values()) {
    const admin = new pg.Client(connectionTo(url));
    await admin.connect();
    try {
      login = await change(admin);
    } finally {
      await admin.end();
    }
  }
  return login;
}
