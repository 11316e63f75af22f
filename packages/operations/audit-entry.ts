import type { Audited, NotAudited, Route } from '@tributary/contract';
import type { Actor, Answered, AuditEntry, AuditLog, AuditNote } from './audit.ts';
import type { Caller } from './handler.ts';

/** The audit log names the person behind a session or an assistant. */
export const actorOf = ({ kind, credentialId, userId }: Pick<Caller, 'kind' | 'credentialId' | 'userId'>): Actor =>
  userId ? { kind: 'user', id: userId } : { kind, id: credentialId };

/** A route, or a command of the operator, with its declared audit entry. */
export interface Act {
  readonly id: string;
  readonly audit?: Audited | NotAudited;
}

/** The data for the audit entry of a completed action. */
export interface CompletedAct extends Pick<AuditEntry, 'actor' | 'requestId' | 'at'> {
  readonly log: AuditLog | undefined;
  readonly params: unknown;
  readonly caller?: Caller;
  readonly answer: Answered;
  readonly note: AuditNote;
}

/** Builds the declared audit entry; undefined if the action leaves none. Throws if a declared entry cannot be built. */
export function entryOf({ id, audit }: Act, done: CompletedAct): AuditEntry | undefined {
  if (!leavesEntry(audit, done.answer)) return undefined;
  const { actor, requestId, at, params, caller, answer, note } = done;
  const log = note.log ?? done.log;
  if (!log) throw new Error(`${id} must say in whose audit log its entry belongs.`);
  const { data } = (answer.body ?? {}) as { data?: unknown };
  const target = targetOf(id, audit.of, { params, data, caller });
  const { detail = {} } = note;
  return { log, actor: note.actor ?? actor, action: audit.action, target, result: 'done', detail, requestId, at };
}

export const leavesEntry = (audit: Act['audit'], answer: Answered): audit is Audited =>
  typeof audit === 'object' && !isUnchanged(audit, answer);

function isUnchanged({ unchanged }: Audited, { status, body }: Answered): boolean {
  if (typeof unchanged !== 'object') return unchanged === status;
  const data = (body as { data?: Readonly<Record<string, unknown>> } | null)?.data;
  if ('where' in unchanged) return data?.[unchanged.where] === true;
  const outcome = data?.outcome;
  return typeof outcome === 'string' && unchanged.outcome.includes(outcome);
}

/** Changes of accounts and sessions are logged for the installation, all others for the caller's workspace. */
export const logOf = ({ access }: Route, { workspaceId }: Caller): AuditLog | undefined =>
  access.grain === 'account' ? 'installation' : workspaceId === undefined ? undefined : { workspaceId };

/** Replaces the placeholder: "api_key:{data.id}" becomes "api_key:" and the id. */
function targetOf(id: string, of: string, facts: Readonly<Record<string, unknown>>): string {
  return of.replace(/\{(\w+)\.(\w+)\}/, (_, from: string, field: string) => {
    const value = (facts[from] as Record<string, unknown> | undefined)?.[field];
    if (typeof value !== 'string')
      throw new Error(`${id} names in its audit entry ${from}.${field}, which is not there.`);
    return value;
  });
}
