import {
  applyFault,
  ConnectionUnusable,
  refuseFault,
  refuseUnusable,
  withReconnectLink,
} from '@tributary/domain/advertising/connections';
import { writeAudit } from '@tributary/domain/tenancy/accountability';
import { actorOf, Refusal } from '@tributary/operations';
import { ProviderFault } from '@tributary/providers';
import type { Request } from './request.ts';
import type { AdContext } from './services.ts';
import { type Action, endAction } from './store.ts';
import type { Target } from './target.ts';

/** Whether the platform has certainly not applied the change. */
export const certainlyNotApplied = (error: unknown): boolean =>
  error instanceof ProviderFault && (error.details.verdict !== 'wait' || error.details.mayHaveHappened === false);

/** The refusal to return for a failure. Rethrows errors that are neither a platform's nor a refusal. */
export async function refusalOf(
  context: AdContext,
  error: unknown,
  target: Target,
  request: Pick<Request, 'kind' | 'whenUnread'>,
): Promise<Refusal> {
  try {
    if (error instanceof ConnectionUnusable) return refuseUnusable(context, error.reason);
    if (!(error instanceof ProviderFault)) throw error;
    const { verdict, says } = error.details;
    if (verdict === 'refused' && request.kind === 'budget')
      return new Refusal('validation_error', `The platform refuses the budget: ${says}`, {
        fields: { field: 'daily_budget_minor' },
      });
    if (verdict === 'refused')
      return new Refusal('invalid_state', `The platform refuses it: ${says}`, {
        fields: { reason: 'platform_refused' },
      });
    if (verdict === 'wait') request.whenUnread?.(target.entity);
    return refuseFault(context, error);
  } catch (thrown) {
    if (thrown instanceof Refusal) return withReconnectLink(context, target.connection.id, thrown);
    throw thrown;
  }
}

/** Ends an action that changed nothing, in the ledger and the audit log, and returns the refusal. */
export async function endRefused(
  context: AdContext,
  action: Action,
  error: unknown,
  target: Target,
  request: Request,
): Promise<Refusal> {
  const { ledger, caller, now, requestId } = context;
  const { profileId, workspaceId } = caller;
  const refusal = await refusalOf(context, error, target, request);
  const { reason = refusal.code } = refusal.fields as { reason?: string };
  const fault = error instanceof ProviderFault ? error : undefined;
  await ledger.transaction(async (tx) => {
    const stage = error instanceof Refusal || fault?.details.verdict === 'refused' ? 'refused' : 'failed';
    await endAction(
      tx,
      profileId,
      action,
      { stage, reason, providerCode: fault?.details.code ?? null },
      requestId,
      now,
    );
    const { id: connectionId, credentials_revision: revision } = target.connection;
    if (fault) await applyFault(tx, { profileId, connectionId, revision, now }, fault);
    // packages/operations already audits forbidden requests.
    if (refusal.code === 'meta_write_permission_missing') return;
    await writeAudit(tx, {
      log: { workspaceId },
      actor: actorOf(caller),
      action: `${action.level}.${action.kind}`,
      target: `${action.level}:${action.externalId}`,
      result: 'refused',
      detail: { action_id: action.id, code: refusal.code, reason },
      requestId,
      at: now,
    });
  });
  return refusal;
}
