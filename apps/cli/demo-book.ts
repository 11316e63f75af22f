import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '@tributary/config';
import { Scope } from '@tributary/contract';
import { addMember, createPasswords, createUser } from '@tributary/domain/accounts/room.ts';
import {
  createKeyByOperator,
  createProfileByOperator,
  createWorkspaceByOperator,
} from '@tributary/domain/credentials/room.ts';
import { createPostgres } from '@tributary/postgres';
import { scopes as allScopes, limits } from '@tributary/vocabulary';

/** What the demo must know the next time it is started. It lies beside the demo's data and goes with it. */
export interface DemoBook {
  readonly profileId: string;
  /** The market's first day. */
  readonly start: string;
  readonly email: string;
  readonly password: string;
  readonly key: string;
  readonly isFilled: boolean;
}

export interface BookKeeper {
  read(): DemoBook | undefined;
  write(book: DemoBook): void;
}

/** For the demo whose engines are the set of this name. */
export function keepDemoBook(set: string): BookKeeper {
  const file = join(import.meta.dirname, '../../.engines', set, 'book.json');
  return {
    read: () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoBook) : undefined),
    write: (book) => writeFileSync(file, JSON.stringify(book), { mode: 0o600 }),
  };
}

/** A workspace with one profile, somebody who may sign in to it, and a key. Nothing is in it yet. */
export async function openDemo(settings: Settings, start: string): Promise<DemoBook> {
  const app = createPostgres({ url: settings.databaseAppUrl, poolSize: 2 });
  const now = new Date();
  try {
    const workspace = { name: 'Demo', plan: 'scale', isHealthcareAgency: false };
    const workspaceId = await createWorkspaceByOperator(app, workspace, now);
    const profile = {
      workspaceId,
      name: 'Simulated shop',
      privacyMode: 'standard',
      timeZone: 'UTC',
      reportingCurrency: 'USD',
    };
    const profileId = await createProfileByOperator(app, profile, now);
    const tools = { postgres: app, passwords: createPasswords(settings.passwordMinLength), now: () => now };
    const { email, password } = await createUser(tools, { email: 'demo@example.com', name: 'Demo' });
    await addMember(tools, { workspaceId, email, role: 'owner' });
    const scopes = Scope.options.filter((scope) => allScopes[scope].grain !== 'workspace');
    const requestsPerMinute = limits.ratePerMinute.apiKey.default;
    const { key } = await createKeyByOperator(app, { profileId, name: 'Demo', scopes, requestsPerMinute }, now);
    return { profileId, start, email, password, key, isFilled: false };
  } finally {
    await app.close();
  }
}
