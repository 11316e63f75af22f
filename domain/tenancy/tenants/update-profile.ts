import { type Input, type Routes, routes } from '@tributary/contract';
import { answer, type Handles, type Operator, type RouteInput, readBody, refuse } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import type { Jobs } from '@tributary/work';
import { refuseUnknownCurrency, toProfileResponse } from './profile.ts';
import { lockProfile, type ProfileRow, saveProfile } from './store.ts';

type Body = Input<Routes['updateProfile']>['body'];

export const updateProfile: Handles<Routes['updateProfile'], { jobs: Jobs }> = async (
  { body },
  { effect, caller, jobs, addToAudit, now },
) =>
  effect(async (tx) => {
    const { before, after } = await change(tx, caller.profileId, body, now);
    // Enqueued in the same transaction, so that no amount stays in the old currency.
    if (before.reporting_currency !== after.reporting_currency)
      await jobs.enqueue(tx, 'repriceOutcomes', { profileId: caller.profileId });
    addToAudit({ detail: describeChanges(before, after) });
    const isAgency = caller.isHealthcare && after.privacy_mode === 'standard';
    return answer(200, { data: toProfileResponse(after, isAgency) });
  });

/** Resolves to whether the currency changed. If so, the caller has to start the conversion of existing amounts. */
export async function updateProfileByOperator(
  operator: Operator,
  profileId: string,
  sent: RouteInput<Routes['updateProfile']>,
): Promise<{ readonly isRepriced: boolean }> {
  const body = readBody(routes.updateProfile, sent);
  const { id, audit } = routes.updateProfile;
  const act = { id, audit: { ...audit, of: 'profile:{params.id}' } } as const;
  let isRepriced = false;
  await operator.effect(act, { profileId, params: { id: profileId } }, async (tx, addToAudit) => {
    const { before, after } = await change(tx, profileId, body, operator.now);
    isRepriced = before.reporting_currency !== after.reporting_currency;
    addToAudit({ log: { workspaceId: after.workspace_id }, detail: describeChanges(before, after) });
    return answer(200, { data: toProfileResponse(after, false) });
  });
  return { isRepriced };
}

async function change(
  tx: Tx,
  profileId: string,
  body: Body,
  now: Date,
): Promise<{ before: ProfileRow; after: ProfileRow }> {
  refuseUnknownCurrency(body.reporting_currency);
  await switchScope(tx, { profileId });
  const before = (await lockProfile(tx, profileId)) ?? refuse('not_found', 'There is no such profile.');
  const isRepriced = (body.reporting_currency ?? before.reporting_currency) !== before.reporting_currency;
  const repricing = isRepriced && { repricing_since: now, repriced_at: null };
  return { before, after: await saveProfile(tx, profileId, { ...body, ...repricing }) };
}

const settings = ['name', 'time_zone', 'reporting_currency'] as const;

/** The changed settings with their new and previous values, for the audit log. */
const describeChanges = (before: ProfileRow, after: ProfileRow): Record<string, string> =>
  Object.fromEntries(
    settings
      .filter((name) => before[name] !== after[name])
      .flatMap((name) => [
        [name, after[name]],
        [`${name}_before`, before[name]],
      ]),
  );
