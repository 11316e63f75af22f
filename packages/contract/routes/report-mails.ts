import { languages, limits, mailedPages, mailFailureNames, mailRhythms, roleNames } from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate, CreatedBy, Deleted, data, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { AttributionModel, AttributionModelParameter } from '../vocabulary.ts';
import { Count, chapter } from './report-parts.ts';

/** Reports by e-mail to members. */

const commonQuery = {
  page: z.enum(mailedPages).describe('Whose figures are sent.'),
  every: z
    .enum(mailRhythms)
    .describe(
      `Every day, every Monday or on the first of every month, at ${limits.reportMails.hour} in the time zone of the profile: the figures of the day, week or month before.`,
    ),
  language: z.enum(languages).describe('In which language it is written.'),
};

const Last = z
  .strictObject({
    at: IsoTimestamp.describe('When it was due.'),
    date_from: CalendarDate,
    date_to: CalendarDate,
    sent: Count.describe('Members to whom it was sent.'),
    waiting: Count.describe('Members for whom it is tried again.'),
    failed: Count.describe('Members to whom it was not sent, or perhaps not.'),
    reason: z.enum(mailFailureNames).nullable().describe('Why it waits or failed, of several one. Null: it did not.'),
  })
  .meta({ id: 'ReportMailLast' });

const ReportMail = z
  .strictObject({
    id: Uuid,
    ...commonQuery,
    model: AttributionModel,
    recipients: z
      .array(z.strictObject({ user_id: Uuid, name: z.string(), email: z.string() }))
      .describe('Members of the workspace. Whoever leaves it gets no more.'),
    created_by: CreatedBy,
    created_at: IsoTimestamp,
    next_at: IsoTimestamp.describe('When the next one is due.'),
    last: Last.nullable().describe('What became of the latest one. Null: none was due yet.'),
  })
  .meta({ id: 'ReportMail' });

const access = {
  credentials: ['session'],
  scopes: anyOf('campaigns:read'),
  grain: 'profile',
  entitlement: 'not needed',
} as const;
const sharing = { ...access, roles: roleNames.filter((role) => role !== 'viewer') } as const;
const byId = { params: z.object({ id: Uuid }), refusedAs: { id: 'not_found' }, ids: { id: 'report_mail' } } as const;

const createReportMail = route({
  id: 'createReportMail',
  method: 'POST',
  path: '/api/v1/report-mails',
  summary: 'Have a report sent to members by e-mail',
  description:
    'Only members of the workspace get it: anybody else is shown a report by a link (`POST /api/v1/shared-views`). The mail holds sums and names of campaigns, and no people. ' +
    'Refused with `invalid_state` where the operator has set no mail server. Of healthcare-family profiles nothing is sent.',
  chapter,
  audit: { action: 'report_mail.created', of: 'report_mail:{data.id}' },
  access: { ...sharing, healthcare: 'refused' },
  body: {
    example: {
      page: 'overview',
      every: 'week',
      language: 'en',
      model: 'linear',
      recipients: ['0197a7f0-3c11-7d6e-9a44-2f5b8c1d0e01'],
    },
    schema: z.strictObject({
      ...commonQuery,
      model: AttributionModelParameter,
      recipients: z
        .array(Uuid)
        .min(1, 'must name somebody')
        .max(limits.reportMails.recipients)
        .describe('The ids of members of the workspace.'),
    }),
  },
  idempotency: 'accepted',
  answers: { 201: { schema: data(ReportMail) } },
  refusals: ['invalid_state', 'app_provisioned_workspace'],
});

const listReportMails = route({
  id: 'listReportMails',
  method: 'GET',
  path: '/api/v1/report-mails',
  summary: 'The reports that are sent by e-mail, newest first',
  chapter,
  access,
  answers: {
    200: {
      schema: data(z.array(ReportMail), {
        is_set_up: z.boolean().describe('Whether the operator has set a mail server. Without one nothing is sent.'),
      }),
    },
  },
});

const deleteReportMail = route({
  id: 'deleteReportMail',
  method: 'DELETE',
  path: '/api/v1/report-mails/{id}',
  summary: 'Stop sending a report by e-mail',
  chapter,
  audit: { action: 'report_mail.deleted', of: 'report_mail:{params.id}' },
  access: sharing,
  ...byId,
  answers: { 200: { schema: data(Deleted) } },
});

const leaveReportMail = route({
  id: 'leaveReportMail',
  method: 'POST',
  path: '/api/v1/report-mails/{id}/leave',
  summary: 'Get a report by e-mail no longer',
  description: 'For whoever is signed in, whatever their role. With its last member it is gone.',
  chapter,
  audit: { action: 'report_mail.left', of: 'report_mail:{params.id}' },
  access,
  ...byId,
  idempotency: 'accepted',
  answers: { 200: { schema: data(Deleted) } },
});

const previewReportMail = route({
  id: 'previewReportMail',
  method: 'GET',
  path: '/api/v1/report-mails/preview',
  summary: 'What a report by e-mail looks like',
  description: 'The mail as it would be sent now: the figures of the last whole day, week or month. Nothing is sent.',
  chapter,
  access: { ...access, healthcare: 'refused' },
  query: z.object({ ...commonQuery, model: AttributionModelParameter }),
  answers: {
    200: {
      schema: data(
        z.strictObject({
          subject: z.string().describe('The subject line.'),
          text: z.string().describe('For programs that show no HTML.'),
          html: z.string().describe('The body as mail programs show it.'),
          date_from: CalendarDate,
          date_to: CalendarDate,
        }),
      ),
    },
  },
});

const sendReportMail = route({
  id: 'sendReportMail',
  method: 'POST',
  path: '/api/v1/report-mails/{id}/send',
  summary: 'Send a report by e-mail now',
  description:
    'To all of its recipients, with the figures of the last whole day, week or month. The schedule stays as it is. `last` says what becomes of it. ' +
    `409 \`invalid_state\` within ${limits.reportMails.againMinutes} minutes of the previous one.`,
  chapter,
  audit: { action: 'report_mail.sent', of: 'report_mail:{params.id}' },
  access: { ...sharing, healthcare: 'refused' },
  ...byId,
  idempotency: 'accepted',
  answers: { 202: { schema: data(ReportMail) } },
  refusals: ['invalid_state'],
});

export const reportMailRoutes = {
  createReportMail,
  listReportMails,
  deleteReportMail,
  leaveReportMail,
  previewReportMail,
  sendReportMail,
};
