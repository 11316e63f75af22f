import { type RouteId, routes } from '@tributary/contract';
import { findWorkspaceOf } from '@tributary/domain/tenants';
import type { AuditEntry, Context, WriteAudit } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';
import { findConsent } from './assistant-store.ts';
import { findUserByEmail } from './store.ts';

/** Whence and when somebody tried something. */
export type Attempt = Pick<Context, 'addressHash' | 'requestId' | 'now'>;

export interface RecordsOptions {
  readonly postgres: Postgres;
  readonly audit: WriteAudit;
  readonly isFirstOfMinute: (subject: string) => Promise<boolean>;
}

/** What the audit log keeps of pages and of failed attempts, which have no effect that would write it. */
export interface Records {
  /** Signed in on a page of ours. */
  signedIn(userId: string, attempt: Attempt): Promise<void>;
  wrongPassword(route: RouteId, who: Guessed, attempt: Attempt): Promise<void>;
  /** In the second step, and with a passkey that is not known, nobody says who they are. */
  wrongCode(route: 'completeSignIn' | 'signInWithPasskey', attempt: Attempt): Promise<void>;
  /** Before the assistant gets its code. */
  allowedAssistant(allowed: Allowed, attempt: Attempt): Promise<void>;
}

type Guessed = { readonly email: string } | { readonly userId: string };

interface Allowed {
  readonly userId: string;
  readonly clientId: string;
  readonly profileId: string;
  readonly scopes: readonly string[];
}

export function createRecords({ postgres, audit, isFirstOfMinute }: RecordsOptions): Records {
  const write = (entry: Omit<AuditEntry, 'log' | 'requestId' | 'at'>, { requestId, now: at }: Attempt) =>
    postgres.home.unbound.transaction((tx) => audit(tx, { log: 'installation', ...entry, requestId, at }));
  return {
    signedIn: (id, attempt) => {
      const { action } = routes.signIn.audit;
      return write({ actor: { kind: 'user', id }, action, target: `user:${id}`, result: 'done', detail: {} }, attempt);
    },

    /**
     * One entry stands for all guesses at an account from an address within a minute. An address that nobody has is written down
     * alike: how long an answer takes must not tell whether there is an account.
     */
    async wrongPassword(route, who, attempt) {
      const userId = 'userId' in who ? who.userId : await idOf(postgres, who.email);
      const target = `user:${userId ?? 'unknown'}`;
      if (!(await isFirstOfMinute(`${route}:${target}:${attempt.addressHash}`))) return;
      const actor =
        'userId' in who ? ({ kind: 'user', id: who.userId } as const) : ({ kind: 'public', id: 'public' } as const);
      await write({ actor, action: route, target, result: 'refused', detail: {} }, attempt);
    },

    async wrongCode(action, attempt) {
      if (!(await isFirstOfMinute(`${action}:${attempt.addressHash}`))) return;
      const actor = { kind: 'public', id: 'public' } as const;
      await write({ actor, action, target: 'user:unknown', result: 'refused', detail: {} }, attempt);
    },

    async allowedAssistant({ userId, clientId, profileId, scopes }, { requestId, now: at }) {
      const consent = await postgres.home.unbound.transaction((tx) => findConsent(tx, userId, clientId, profileId));
      await postgres.forProfile(profileId).transaction(async (tx) => {
        const workspaceId = await findWorkspaceOf(tx, profileId);
        if (!consent || !workspaceId) throw new Error('The consent was not kept.');
        await audit(tx, {
          log: { workspaceId },
          actor: { kind: 'user', id: userId },
          action: 'assistant.allowed',
          target: `assistant:${consent.id}`,
          result: 'done',
          detail: { profile_id: profileId, scopes },
          requestId,
          at,
        });
      });
    },
  };
}

async function idOf(postgres: Postgres, email: string): Promise<string | undefined> {
  return (await postgres.home.unbound.transaction((tx) => findUserByEmail(tx, email)))?.id;
}
