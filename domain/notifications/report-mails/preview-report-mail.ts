import type { Routes } from '@tributary/contract';
import type { ReportServices } from '@tributary/domain/measurement/reports';
import { findProfileName, getProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import { composeMail } from './compose.ts';
import { readReport, urlsOf } from './send.ts';
import { lastDays } from './store.ts';

/** Returns the mail as it would be sent now. Sends nothing. */
export const previewReportMail: Handles<
  Routes['previewReportMail'],
  ReportServices & { readonly baseUrl: string }
> = async ({ query }, context) => {
  const { caller, ledger, now, baseUrl } = context;
  const { profileId } = caller;
  const { days, profileName } = await ledger.transaction(
    async (tx) => ({
      days: await lastDays(tx, query.every, now, (await getProfile(tx, profileId)).timeZone),
      profileName: (await findProfileName(tx, profileId)) ?? '',
    }),
    { readOnly: true },
  );
  const report = await readReport(context, { ...query, ...days });
  const mail = composeMail(report, {
    ...query,
    days,
    profileName,
    ...urlsOf(baseUrl, profileId, { ...query, ...days }),
  });
  return answer(200, { data: { ...mail, date_from: days.from, date_to: days.to } });
};
