import type { CredentialKind } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';

/** Who did something, as the audit log names them. */
export interface Actor {
  readonly kind: CredentialKind | 'user' | 'operator';
  readonly id: string;
}

/** Which log an entry goes to. `installation`: what belongs to no workspace, or must outlive it. */
export type AuditLog = { readonly workspaceId: string } | 'installation';

export interface AuditEntry {
  readonly log: AuditLog;
  readonly actor: Actor;
  readonly action: string;
  readonly target: string;
  readonly result: 'done' | 'refused';
  /** Ids and words of our own, never a person. */
  readonly detail: Readonly<Record<string, string | number | boolean | readonly string[] | null>>;
  readonly requestId: string;
  readonly at: Date;
}

/** Adds an entry in the transaction of what it tells of, which stands behind the wall of the entry's workspace. */
export type WriteAudit = (tx: Tx, entry: AuditEntry) => Promise<void>;

/** What only the handler knows of its entry. What it leaves out follows from the caller. */
export type AuditNote = Partial<Pick<AuditEntry, 'log' | 'actor' | 'detail'>>;
export type AddToAudit = (note: AuditNote) => void;

/** What an effect answers. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
}
