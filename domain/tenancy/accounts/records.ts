import { type RouteId, routes } from '@tributary/contract';
import { findWorkspaceOf } from '@tributary/domain/tenancy/tenants';
import type { AuditEntry, Context, WriteAudit } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';
import { findConsent } from './assistant-store.ts';
import { findUserByEmail } from './store.ts';

/** Source and time of an attempt. */
export type Attempt = Pick<Context, 'addressHash' | 'requestId' | 'now'>;

export interface RecordsOptions {
  readonly postgres: Postgres;
  readonly audit: WriteAudit;
  readonly isFirstOfMinute: (subject: string) => Promise<boolean>;
}

/** Writes audit entries for pages and failed attempts, which have no route effect to write them. */
export interface Records {
  /** Sign-in on the consent page. */
  signedIn(userId: string, attempt: Attempt): Promise<void>;
  wrongPassword(route: RouteId, who: AttemptedAccount, attempt: Attempt): Promise<void>;
  /** A wrong code in the second step, or an unknown passkey: the user is not known. */
  wrongCode(route: 'completeSignIn' | 'signInWithPasskey', attempt: Attempt): Promise<void>;
  /** Called before the assistant receives its code. */
  allowedAssistant(allowed: AssistantConsent, attempt: Attempt): Promise<void>;
}

type AttemptedAccount = { readonly email: string } | { readonly userId: string };

interface AssistantConsent {
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
     * Writes at most one entry a minute per account and address. Unknown addresses are logged too, so that the response time does not reveal
     * whether an account exists.
     */
    async wrongPassword(route, who, attempt) {
      const userId = 'userId' in who ? who.userId : await findUserId(postgres, who.email);
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

async function findUserId(postgres: Postgres, email: string): Promise<string | undefined> {
  return (await postgres.home.unbound.transaction((tx) => findUserByEmail(tx, email)))?.id;
}
