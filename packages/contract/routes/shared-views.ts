import { limits, roleNames, sharedPages } from '@tributary/vocabulary';
import { z } from 'zod';
import { LeftOut, shownOnce } from '../one-time-secrets.ts';
import {
  CalendarDate,
  CreatedBy,
  CurrencyCode,
  DateRange,
  Deleted,
  data,
  IsoTimestamp,
  IsoTimestampInput,
  limitParameter,
  Name,
  page,
  Uuid,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';

/** Links that show one report to a person without an account. */

const chapter = 'Credentials';
const Page = z.enum(sharedPages).describe('The page of the console that it shows.');
const Search = z
  .string()
  .max(2_000)
  .describe('What stands after the question mark of the page’s address besides its days: model, level, filters, sort.');

const SharedView = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    page: Page,
    search: Search,
    date_from: CalendarDate,
    date_to: CalendarDate,
    created_by: CreatedBy,
    created_at: IsoTimestamp,
    expires_at: IsoTimestamp.nullable(),
  })
  .meta({ id: 'SharedView' });

const sharing = {
  credentials: ['session'],
  roles: roleNames.filter((role) => role !== 'viewer'),
  scopes: anyOf('campaigns:read'),
  grain: 'profile',
  entitlement: 'not needed',
} as const;

const createSharedView = route({
  id: 'createSharedView',
  method: 'POST',
  path: '/api/v1/shared-views',
  summary: 'Make a link that shows one report without signing in',
  description:
    'Whoever has the link reads this page of the console, of these days, and nothing else: no people, no other page, no other profile. The address is in ' +
    'this answer and nowhere else; its secret stands after the `#`, which browsers do not send. Healthcare-family profiles share nothing: links of a ' +
    'profile that becomes one are dead. The page `top-ads` shows the last days whenever it is read: its `date_to` is the last day on which the link ' +
    'shows anything.',
  chapter,
  audit: { action: 'shared_view.created', of: 'shared_view:{data.id}' },
  access: { ...sharing, healthcare: 'refused' },
  body: {
    example: {
      name: 'June for the agency',
      page: 'campaigns',
      search: 'model=linear',
      date_from: '2026-06-01',
      date_to: '2026-06-30',
    },
    schema: DateRange.safeExtend({
      name: Name,
      page: Page,
      search: Search.default(''),
      expires_at: IsoTimestampInput.optional().describe(
        `At most ${limits.sharedViews.days.most} days ahead. Absent: in ${limits.sharedViews.days.default} days.`,
      ),
    }).strict(),
  },
  idempotency: 'accepted',
  answers: {
    201: { schema: data(SharedView.safeExtend({ url: shownOnce(z.string()) }), LeftOut) },
  },
  refusals: ['invalid_state'],
});

const listSharedViews = route({
  id: 'listSharedViews',
  method: 'GET',
  path: '/api/v1/shared-views',
  summary: 'The links to reports that are live, newest first',
  chapter,
  access: sharing,
  query: z.object({ limit: limitParameter(limits.sharedViews.pageSize), cursor: Uuid.optional() }),
  answers: { 200: { schema: page(SharedView) } },
});

const deleteSharedView = route({
  id: 'deleteSharedView',
  method: 'DELETE',
  path: '/api/v1/shared-views/{id}',
  summary: 'Revoke a link to a report at once',
  chapter,
  audit: { action: 'shared_view.revoked', of: 'shared_view:{params.id}' },
  access: sharing,
  params: z.object({ id: Uuid }),
  refusedAs: { id: 'not_found' },
  ids: { id: 'shared_view' },
  answers: { 200: { schema: data(Deleted) } },
});

const readSharedView = route({
  id: 'readSharedView',
  method: 'GET',
  path: '/api/v1/shared-view',
  summary: 'What the link shows',
  description: 'Asked with the link’s own secret. The figures are read with it from the routes of the page.',
  reveals: { days: 'none', people: 'none', costs: false },
  chapter,
  access: { credentials: ['shared_link'], grain: 'profile' },
  answers: {
    200: {
      schema: data(
        z.strictObject({
          name: z.string(),
          page: Page,
          search: Search,
          date_from: CalendarDate,
          date_to: CalendarDate,
          expires_at: IsoTimestamp.nullable(),
          profile_name: z.string().describe('Whose report it is.'),
          reporting_currency: CurrencyCode,
          time_zone: z.string(),
        }),
      ),
    },
  },
});

export const sharedViewRoutes = { createSharedView, listSharedViews, deleteSharedView, readSharedView };
