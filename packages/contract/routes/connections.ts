import { connectionStatuses, limits, syncStates } from '@tributary/vocabulary';
import { z } from 'zod';
import { data, IsoTimestamp, limitParameter, page, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Channel } from '../vocabulary.ts';

/** Provider accounts that a profile is connected to. */

export const chapter = 'Connections';
export const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const read = { credentials, scopes: anyOf('connections:read'), grain: 'profile' } as const;

export const inPath = { params: z.object({ id: Uuid }), refusedAs: { id: 'not_found' } } as const;
export const connectionIds = { id: 'connection' } as const;

export const Sync = z
  .strictObject({
    state: z.enum(syncStates),
    last_success_at: IsoTimestamp.nullable().describe('When a run last read all that there was.'),
    last_run_at: IsoTimestamp.nullable().describe('When the last run began.'),
    last_error: z.string().nullable().describe("The provider's own words, when the last run failed."),
    next_run_at: IsoTimestamp.nullable().describe('Null: not before somebody connects again.'),
    progress: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Of the run that is under way, as far as the provider lets one know.'),
  })
  .meta({ id: 'ConnectionSync' });

export const ConnectionStatus = z.enum(connectionStatuses);

export const Connection = z
  .strictObject({
    id: Uuid,
    channel: Channel.describe('Whom it leads to.'),
    status: ConnectionStatus.describe(
      '`connected` works. `needs_action`: somebody has to do something at the provider. `reconnect_required`: only a new consent helps.',
    ),
    account: z.strictObject({ external_id: z.string(), name: z.string() }).describe('As the provider calls it.'),
    granted: z.array(z.string()).describe('What the person allowed, in the provider’s own words.'),
    connected_at: IsoTimestamp,
    sync: Sync,
  })
  .meta({ id: 'Connection' });

export const listConnections = route({
  id: 'listConnections',
  method: 'GET',
  path: '/api/v1/connections',
  summary: 'The connections of the profile, and whether they work',
  description:
    'The lasting answer to "is it connected, and healthy?": status, the last run that succeeded, and what the provider said when one failed.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  query: z.object({
    channel: Channel.optional().describe('Only those of one provider.'),
    limit: limitParameter(limits.connections.pageSize),
    cursor: Uuid.optional(),
  }),
  answers: { 200: { schema: page(Connection) } },
});

export const readConnection = route({
  id: 'readConnection',
  method: 'GET',
  path: '/api/v1/connections/{id}',
  summary: 'One connection',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  ...inPath,
  ids: connectionIds,
  answers: { 200: { schema: data(Connection) } },
});
