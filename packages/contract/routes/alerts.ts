import { languages, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { data, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { AlertKind } from '../vocabulary.ts';

/** Current problems with a profile's data, and e-mail notifications about them. */

const chapter = 'Alerts';

const Alert = z
  .strictObject({
    id: Uuid,
    kind: AlertKind,
    since: IsoTimestamp.describe(
      `Since when it is so: the last visit, to within ${limits.tracking.notedEveryMinutes} minutes, or the change that has waited longest.`,
    ),
    opened_at: IsoTimestamp.describe('When it was noticed and told.'),
  })
  .meta({ id: 'Alert' });

const listAlerts = route({
  id: 'listAlerts',
  method: 'GET',
  path: '/api/v1/alerts',
  summary: 'What is wrong with the profile’s data at this moment',
  description:
    'An alert is opened once and stays open until its cause is over; of each kind there is at most one. Both moments are events (`alert.opened`, `alert.ended`). ' +
    'A connection that has to be connected again is told by `connection.reconnect_required` and stands in the list of connections.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp'],
    scopes: anyOf('analytics:read'),
    grain: 'profile',
    entitlement: 'not needed',
  },
  answers: { 200: { schema: data(z.array(Alert)), description: 'Data is empty when nothing is wrong.' } },
});

const AlertMail = z
  .strictObject({
    is_wanted: z.boolean().describe('Whether alerts of the profile are sent to whoever asks.'),
    language: z.enum(languages).describe('In which language they are written.'),
  })
  .meta({ id: 'AlertMail' });

const mailing = {
  credentials: ['session'],
  scopes: anyOf('analytics:read'),
  grain: 'profile',
  entitlement: 'not needed',
} as const;

const readAlertMail = route({
  id: 'readAlertMail',
  method: 'GET',
  path: '/api/v1/alerts/mail',
  summary: 'Whether you get alerts of the profile by e-mail',
  description: 'Owners and admins do, unless they say otherwise; others if they want to.',
  chapter,
  access: mailing,
  answers: {
    200: {
      schema: data(AlertMail, {
        is_set_up: z.boolean().describe('Whether the operator has set a mail server. Without one nothing is sent.'),
      }),
    },
  },
});

const updateAlertMail = route({
  id: 'updateAlertMail',
  method: 'PUT',
  path: '/api/v1/alerts/mail',
  summary: 'Get alerts of the profile by e-mail, or no longer',
  description:
    'For whoever is signed in, whatever their role. A mail names the profile and what is wrong, and no people or figures. Of healthcare-family profiles nothing is sent.',
  chapter,
  audit: 'not needed: it decides about mails to whoever asks, and nobody else',
  access: mailing,
  body: { example: { is_wanted: true, language: 'en' }, schema: AlertMail },
  idempotency: 'natural',
  answers: { 200: { schema: data(AlertMail) } },
  refusals: ['app_provisioned_workspace'],
});

export const alertRoutes = { listAlerts, readAlertMail, updateAlertMail };
