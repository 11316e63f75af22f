import { channelNames, definitionKinds, limits, stageMappingSources, stageOutcomes } from '@tributary/vocabulary';
import { z } from 'zod';
import { data, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { EventName } from './outcomes.ts';

/** Definitions of a profile's outcomes: events by name, deals by stage. */

const EventKey = EventName.describe(
  `For a stage one of ${stageOutcomes.join(', ')}; for a goal the name of the event that it counts.`,
).meta({ examples: ['appointment_booked'] });

const OutcomeDefinition = z
  .strictObject({
    id: Uuid,
    kind: z.enum(definitionKinds).describe('`goal`: counts events by name. `pipeline_stage`: counts deals by stage.'),
    name: z.string(),
    event_key: z.string(),
    channel: z.enum(channelNames).nullable().describe('The CRM of a stage.'),
    pipeline_id: z.string().nullable(),
    stage_id: z.string().nullable(),
    source: z.enum(stageMappingSources).nullable().describe('Who said what a stage counts as.'),
    updated_at: IsoTimestamp,
  })
  .meta({ id: 'OutcomeDefinition' });

const access = {
  credentials: ['api_key', 'app', 'session', 'mcp'],
  scopes: anyOf('goals:write'),
  grain: 'profile',
} as const;

export const updateOutcomeDefinition = route({
  id: 'updateOutcomeDefinition',
  method: 'PATCH',
  path: '/api/v1/outcome-definitions/{id}',
  summary: 'Say what a CRM stage counts as',
  description:
    'Deals that stand in the stage are read again, and counted by the new meaning. A goal takes the name of the event that it counts.',
  chapter: 'Outcomes',
  audit: { action: 'outcome_definition.updated', of: 'outcome_definition:{params.id}' },
  access,
  params: z.object({ id: Uuid }),
  ids: { id: 'outcome_definition' },
  body: { schema: z.strictObject({ event_key: EventKey }) },
  idempotency: 'natural',
  answers: { 200: { schema: data(OutcomeDefinition) } },
  refusals: ['invalid_state'],
});

export const updateOutcomeDefinitions = route({
  id: 'updateOutcomeDefinitions',
  method: 'PUT',
  path: '/api/v1/profile/outcome-definitions',
  summary: 'Say what several CRM stages and goals count as',
  description: 'All or none are written. A definition that is not named stays as it is.',
  chapter: 'Outcomes',
  audit: { action: 'outcome_definition.updated', of: 'profile:{caller.profileId}' },
  access,
  body: {
    schema: z.strictObject({
      definitions: z
        .array(z.strictObject({ id: Uuid, event_key: EventKey }))
        .min(1, 'must name at least one definition')
        .max(limits.stages.max),
    }),
  },
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(z.array(OutcomeDefinition)),
      description: 'All of the profile’s definitions, as they are now.',
    },
  },
  refusals: ['invalid_state'],
});
