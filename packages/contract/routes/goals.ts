import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { Deleted, data, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Count } from './report-parts.ts';

/** Received events beside the ones that count, and the deletion of definitions. */

const { days, most, counted } = limits.receivedEvents;

const access = {
  credentials: ['api_key', 'app', 'session', 'mcp'],
  scopes: anyOf('goals:write'),
  grain: 'profile',
} as const;

const deleteGoalDefinition = route({
  id: 'deleteGoalDefinition',
  method: 'DELETE',
  path: '/api/v1/goals/definitions/{id}',
  summary: 'Delete a conversion definition',
  description:
    'Its events stay recorded and count no longer: past conversions of them leave the reports when attribution has followed. ' +
    '409 `invalid_state` for the main goal (`is_default`) and for the only definition.',
  chapter: 'Outcomes',
  audit: { action: 'goal_definition.deleted', of: 'goal_definition:{params.id}' },
  access,
  params: z.object({ id: Uuid }),
  refusedAs: { id: 'not_found' },
  ids: { id: 'goal_definition' },
  answers: { 200: { schema: data(Deleted) } },
  refusals: ['invalid_state'],
});

const ReceivedEvent = z
  .strictObject({
    event_name: z.string().describe('As it was last sent.'),
    count: Count.describe(
      `Outcomes of the last ${days} days. ${counted.toLocaleString('en')} stands for as many or more.`,
    ),
    last_occurred_at: IsoTimestamp.describe('When the latest of them happened.'),
    definition_id: Uuid.nullable().describe('The definition that it counts under. Null: it counts nowhere.'),
  })
  .meta({ id: 'ReceivedEvent', description: 'An event that was received, and whether it counts.' });

const listReceivedEvents = route({
  id: 'listReceivedEvents',
  method: 'GET',
  path: '/api/v1/goals/events',
  summary: 'Which events were received, and what they count as',
  description:
    `Names of outcomes of the last ${days} days, the most frequent first, up to ${most}. Duplicates of a sale that another ` +
    'source reported are left out. Visits are no outcomes: `GET /tracking/events` lists them.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter: 'Outcomes',
  access: { ...access, scopes: anyOf('goals:write', 'conversions:read', 'campaigns:read') },
  answers: {
    200: { schema: data(z.array(ReceivedEvent), { days: z.literal(days).describe('How many days are counted.') }) },
  },
});

export const goalRoutes = { deleteGoalDefinition, listReceivedEvents };
