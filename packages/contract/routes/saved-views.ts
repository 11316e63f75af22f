import { limits, roleNames, savedPages } from '@tributary/vocabulary';
import { z } from 'zod';
import { Deleted, data, IsoTimestamp, nameOf, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { chapter } from './report-parts.ts';

/** Saved reports of a workspace's members. */

const Name = nameOf(limits.savedViews.nameLength);
const Page = z.enum(savedPages).describe('The page of the console: one that names nobody.');
const Search = z
  .string()
  .max(limits.savedViews.searchLength)
  .describe('What stands after the question mark of the page’s address: days, model, level, filters, sort.');

const SavedView = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    page: Page,
    search: Search,
    saved_by: Uuid.describe('The member who saved it last.'),
    saved_at: IsoTimestamp.describe('When that was.'),
  })
  .meta({ id: 'SavedView' });

const reading = {
  credentials: ['session'],
  scopes: anyOf('campaigns:read'),
  grain: 'profile',
  entitlement: 'not needed',
} as const;
const writing = { ...reading, roles: roleNames.filter((role) => role !== 'viewer') } as const;

const saveView = route({
  id: 'saveView',
  method: 'PUT',
  path: '/api/v1/saved-views',
  summary: 'Save what a page of the console shows under a name',
  description:
    'Every member of the workspace finds it in the console. One of the same name is replaced. It holds a question and no answer: whoever opens it sees the figures of that moment, as far as they may. ' +
    'For somebody without an account there are links (`POST /api/v1/shared-views`).',
  chapter,
  audit: { action: 'saved_view.saved', of: 'saved_view:{data.id}' },
  access: writing,
  body: {
    example: { name: 'Losing ads', page: 'campaigns', search: 'level=ad&sort=roas' },
    schema: z.strictObject({ name: Name, page: Page, search: Search.default('') }),
  },
  idempotency: 'natural',
  answers: { 200: { schema: data(SavedView) } },
  refusals: ['invalid_state'],
});

const listSavedViews = route({
  id: 'listSavedViews',
  method: 'GET',
  path: '/api/v1/saved-views',
  summary: 'The saved views of a profile, by name',
  chapter,
  access: reading,
  answers: { 200: { schema: data(z.array(SavedView).max(limits.savedViews.most)) } },
});

const deleteSavedView = route({
  id: 'deleteSavedView',
  method: 'DELETE',
  path: '/api/v1/saved-views/{id}',
  summary: 'Remove a saved view, for everybody',
  chapter,
  audit: { action: 'saved_view.removed', of: 'saved_view:{params.id}' },
  access: writing,
  params: z.object({ id: Uuid }),
  refusedAs: { id: 'not_found' },
  ids: { id: 'saved_view' },
  answers: { 200: { schema: data(Deleted) } },
});

export const savedViewRoutes = { saveView, listSavedViews, deleteSavedView };
