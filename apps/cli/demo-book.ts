import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '@tributary/config';
import { writeAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import { addMember, createPasswords, createUser } from '@tributary/domain/tenancy/accounts/module.ts';
import { createKeyByOperator } from '@tributary/domain/tenancy/credentials/module.ts';
import { createProfileByOperator, createWorkspaceByOperator } from '@tributary/domain/tenancy/tenants/module.ts';
import { createOperator } from '@tributary/operations';
import { createPostgres } from '@tributary/postgres';

/** The state of the demo between starts. Stored beside the demo's data and deleted with it. */
export interface DemoBook {
  readonly profileId: string;
  /** A smaller shop of the same workspace. Absent in books of earlier versions. */
  readonly secondProfileId?: string;
  /** The market's first day. */
  readonly start: string;
  readonly email: string;
  readonly password: string;
  readonly key: string;
  /** The day up to which the engines were filled; absent: not yet. */
  readonly filledThrough?: string;
}

export interface DemoBookStore {
  read(): DemoBook | undefined;
  write(book: DemoBook): void;
}

/** For the demo that uses the engines of this set. */
export function openDemoBook(set: string): DemoBookStore {
  const file = join(import.meta.dirname, '../../.engines', set, 'book.json');
  return {
    read: () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoBook) : undefined),
    write: (book) => writeFileSync(file, JSON.stringify(book), { mode: 0o600 }),
  };
}

/** The second shop sells in Spain, in euros. */
export const secondShop = { timeZone: 'Europe/Madrid', reportingCurrency: 'EUR', currencies: ['EUR'] } as const;

/** Creates a workspace with two empty profiles, a member who can sign in, and a key. */
export async function openDemo(settings: Settings, start: string): Promise<DemoBook> {
  const app = createPostgres({ url: settings.databaseAppUrl, poolSize: 2 });
  const owner = createPostgres({ url: settings.databaseOwnerUrl, poolSize: 1 });
  const operator = createOperator({ app, owner, audit: writeAudit, now: () => new Date() });
  try {
    const workspaceId = await createWorkspaceByOperator(operator, { name: 'Demo', plan: 'scale' });
    const profile = { workspace_id: workspaceId, name: 'Nord & Sur (demo)' };
    const profileId = await createProfileByOperator(operator, profile);
    const secondProfileId = await createProfileByOperator(operator, {
      workspace_id: workspaceId,
      name: 'Puerto Café (demo)',
      time_zone: secondShop.timeZone,
      reporting_currency: secondShop.reportingCurrency,
    });
    const tools = { operator, passwords: createPasswords(settings.passwordMinLength) };
    const { email, password } = await createUser(tools, { email: 'demo@example.com', name: 'Demo' });
    await addMember(tools, { workspaceId, email, role: 'owner' });
    const { key } = await createKeyByOperator(operator, profileId, { name: 'Demo' });
    return { profileId, secondProfileId, start, email, password, key };
  } finally {
    await Promise.all([app.close(), owner.close()]);
  }
}
