import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate, DateRange, data, dateRangeFaults, limitParameter, page, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Channel } from '../vocabulary.ts';
import { ConnectionStatus, chapter, credentials, Sync } from './connections.ts';

/** The progress of syncs, and the data of search engines. */

const Progress = z
  .strictObject({
    connection_id: Uuid,
    provider: Channel,
    status: ConnectionStatus,
    sync: Sync,
    rejected: z
      .strictObject({
        count: z.int().min(0),
        last: z.array(z.strictObject({ external_id: z.string(), reason: z.string() })),
      })
      .describe('What the provider said in this run and could not be kept: how much of it, and the last of it.'),
  })
  .meta({ id: 'SyncProgress' });

export const startSync = route({
  id: 'startSync',
  method: 'POST',
  path: '/api/v1/connections/sync',
  summary: 'Read connections now',
  description:
    'Connections are read once an hour by themselves. This asks for a run as soon as a worker is free; one that is under way is followed by another.',
  chapter,
  audit: { action: 'connection.sync_started', of: 'profile:{caller.profileId}' },
  access: { credentials, scopes: anyOf('connections:write'), grain: 'profile' },
  body: {
    optional: true,
    schema: z.strictObject({
      provider: Channel.optional().describe('Those of one provider. Absent: all.'),
      connection_id: Uuid.optional().describe('This one only.'),
    }),
  },
  ids: { connection_id: 'connection' },
  idempotency: 'natural',
  answers: { 202: { schema: data(z.array(Progress)) } },
  refusals: ['not_implemented', 'connection_not_ready'],
});

export const readSyncStatus = route({
  id: 'readSyncStatus',
  method: 'GET',
  path: '/api/v1/connections/sync/status',
  summary: 'How far connections were read',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: { credentials, scopes: anyOf('connections:read'), grain: 'profile' },
  query: z.object({ provider: Channel.optional().describe('Those of one provider. Absent: all.') }),
  answers: { 200: { schema: data(z.array(Progress)) } },
});

const SearchTerm = z
  .strictObject({
    day: CalendarDate.describe('A day of the search engine’s own time zone.'),
    connection_id: Uuid,
    query: z.string().describe('What people searched for.'),
    page: z.string().describe('The page that was shown.'),
    clicks: z.int().min(0),
    impressions: z.int().min(0),
    position: z.string().describe('Where the page stood on average, 1 being the first.'),
  })
  .meta({ id: 'SearchTerm' });

export const listSearchTerms = route({
  id: 'listSearchTerms',
  method: 'GET',
  path: '/api/v1/search-terms',
  summary: 'What people searched for before they were shown the site',
  description:
    'By day and page, newest first, as a connected search console tells it. Shown beside organic search and never credited: nobody knows who searched. ' +
    'Rare queries are left out by the search engine.',
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access: { credentials, scopes: anyOf('campaigns:read'), grain: 'profile' },
  query: DateRange.safeExtend({
    limit: limitParameter(limits.searchTerms.pageSize),
    cursor: z.string().max(300).optional().describe('From the page before.'),
  }),
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: page(SearchTerm) } },
});
