import { createHighlevel } from '../highlevel/index.ts';
import { asProvider } from '../registry.ts';
import type { PublishedExamples } from './example.ts';

const source =
  'marketplace.gohighlevel.com/docs/ghl/opportunities/search-opportunity; @gohighlevel/api-client opportunities.d.ts';

const opportunity = (over: object) => ({
  id: 'yWQobCRIhRguQtD2llvk',
  name: 'First opportunity',
  monetaryValue: 500,
  pipelineId: 'VDm7RPYC2GLUvdpKmBfC',
  pipelineStageId: 'e93ba61a-53b3-45e7-985a-c7732dbcdb69',
  assignedTo: 'zT46WSCPbudrq4zhWMk6',
  status: 'open',
  source: 'form',
  lastStatusChangeAt: '2026-08-03T04:55:17.355Z',
  lastStageChangeAt: '2026-08-03T04:55:17.355Z',
  lastActionDate: null,
  indexVersion: 1,
  createdAt: '2026-08-03T04:55:17.355Z',
  updatedAt: '2026-08-03T04:55:17.355Z',
  contactId: 'zT46WSCPbudrq4zhWMk6',
  locationId: 'zT46WSCPbudrq4zhWMk6',
  contact: {
    id: 'byMEV0NQinDhq8ZfiOi2',
    name: 'John Deo',
    companyName: 'Tesla Inc',
    email: 'john@deo.com',
    phone: '+1202-555-0107',
    tags: [],
  },
  notes: [],
  tasks: [],
  calendarEvents: [],
  customFields: [],
  followers: [],
  ...over,
});
const common = {
  kind: 'outcome',
  externalId: 'yWQobCRIhRguQtD2llvk',
  occurredAt: '2026-08-03T04:55:17.355Z',
  value: '500',
  currency: 'USD',
  person: { externalId: 'byMEV0NQinDhq8ZfiOi2', name: 'John Deo', email: 'john@deo.com', phone: '+1202-555-0107' },
  properties: {
    pipeline_id: 'VDm7RPYC2GLUvdpKmBfC',
    stage_id: 'e93ba61a-53b3-45e7-985a-c7732dbcdb69',
    source: 'form',
    currency_assumed: 'true',
  },
};
const { currency_assumed: _, ...unpriced } = common.properties;
const staged = (over: object = {}) => ({
  ...common,
  stage: { pipelineId: 'VDm7RPYC2GLUvdpKmBfC', stageId: 'e93ba61a-53b3-45e7-985a-c7732dbcdb69' },
  ...over,
});
const ended = (outcomeType: string, over: object = {}) => ({ ...common, outcomeType, ...over });

const meta = {
  total: 1,
  nextPageUrl: null,
  startAfterId: null,
  startAfter: null,
  currentPage: 1,
  nextPage: null,
  prevPage: null,
};
const of = (name: string, over: object, said: readonly unknown[]) => ({
  name,
  source,
  answers: { '/opportunities/search': { opportunities: [opportunity(over)], meta, aggregations: {} } },
  said,
});

export const highlevelExamples: PublishedExamples = {
  provider: asProvider(
    createHighlevel({
      clientId: 'c-1',
      clientSecret: 's',
      apiUrl: 'https://services.leadconnectorhq.com',
      dialogUrl: 'https://marketplace.gohighlevel.com',
      apiVersion: '2021-07-28',
      webhookPublicKey: undefined,
    }),
  ),
  account: {
    externalId: 'zT46WSCPbudrq4zhWMk6',
    credentials: { accessToken: 't', userType: 'Location' },
    details: { currency: 'USD' },
  },
  position: null,
  empty: () => ({ opportunities: [], meta }),
  examples: [
    of('an open deal', {}, [staged()]),
    of('a deal that was won later', { status: 'won', lastStatusChangeAt: '2026-08-09T10:00:00.000Z' }, [
      staged(),
      ended('closed_won', { occurredAt: '2026-08-09T10:00:00.000Z' }),
    ]),
    of('a deal that was lost', { status: 'lost' }, [staged(), ended('deal_lost')]),
    of('a deal that was abandoned', { status: 'abandoned' }, [staged(), ended('deal_abandoned')]),
    of('a deal with a status that is new', { status: 'archived' }, [staged()]),
    of('a deal without a value', { monetaryValue: null }, [
      staged({ value: undefined, currency: undefined, properties: unpriced }),
    ]),
    of('a deal with cents', { monetaryValue: 499.95 }, [staged({ value: '499.95' })]),
    of('a deal with a negative value', { monetaryValue: -20 }, [staged({ value: undefined, currency: undefined })]),
    of('a deal of nobody', { contact: undefined, contactId: null }, [staged({ person: {} })]),
    of('a deal whose contact is known by its id alone', { contact: null }, [
      staged({ person: { externalId: 'zT46WSCPbudrq4zhWMk6' } }),
    ]),
    of(
      'a deal that lacks what may be missing',
      {
        source: undefined,
        lastStageChangeAt: undefined,
        lastStatusChangeAt: undefined,
        updatedAt: undefined,
        contact: undefined,
        contactId: undefined,
        monetaryValue: undefined,
      },
      [
        staged({
          person: {},
          value: undefined,
          currency: undefined,
          properties: { pipeline_id: unpriced.pipeline_id, stage_id: unpriced.stage_id },
        }),
      ],
    ),
    of('a deal without a stage', { pipelineStageId: null, status: 'won' }, [
      ended('closed_won', {
        properties: { pipeline_id: unpriced.pipeline_id, source: 'form', currency_assumed: 'true' },
      }),
    ]),
  ],
};
