import type { CredentialKind } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';

/** The actor, as named in the audit log. */
export interface Actor {
  readonly kind: CredentialKind | 'user' | 'operator';
  readonly id: string;
}

/** The log of an entry. `installation`: entries without a workspace, or that must outlive it. */
export type AuditLog = { readonly workspaceId: string } | 'installation';

export interface AuditEntry {
  readonly log: AuditLog;
  readonly actor: Actor;
  readonly action: string;
  readonly target: string;
  readonly result: 'done' | 'refused';
  /** Ids and constants only, never personal data. */
  readonly detail: Readonly<Record<string, string | number | boolean | readonly string[] | null>>;
  readonly requestId: string;
  readonly at: Date;
}

/** Adds an entry in the transaction of the change, which is scoped to the entry's workspace. */
export type WriteAudit = (tx: Tx, entry: AuditEntry) => Promise<void>;

/** The part of an entry that only the handler knows. The rest follows from the caller. */
export type AuditNote = Partial<Pick<AuditEntry, 'log' | 'actor' | 'detail'>>;
export type AddToAudit = (note: AuditNote) => void;

/** The result of an effect. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
}
