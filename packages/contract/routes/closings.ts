import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { data, IsoTimestamp, limitParameter, page, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { access, chapter } from './report-parts.ts';

/** Closed months, stored by the time as of which they were read. */

const Month = z
  .string()
  .regex(/^(?:20\d\d|21[0-3]\d)-(?:0[1-9]|1[0-2])$/, 'must be a month, as YYYY-MM')
  .meta({ examples: ['2026-01'] });

const Closing = z
  .strictObject({
    month: Month,
    as_of: IsoTimestamp.describe(
      `The settled moment that was kept. A report with this \`as_of\` answers the same bytes whenever it is asked for, whatever changes and whoever is erased, for ${limits.asOf.keptDays} days.`,
    ),
    closed_at: IsoTimestamp,
    closed_by: z.strictObject({ kind: z.string(), id: Uuid.nullable() }),
  })
  .meta({ id: 'Closing' });

export const createClosing = route({
  id: 'createClosing',
  method: 'POST',
  path: '/api/v1/closings',
  summary: 'Close a month',
  description:
    'Keeps the latest settled moment. From then on rows of GET /campaigns over exactly that month say what they were worth when it was closed (`closed_value`) and whether that changed (`changed_since`); GET /changes from `as_of` says why. A month that is closed stays as it was closed.',
  chapter,
  audit: { action: 'month.closed', of: 'closing:{data.month}', unchanged: 200 },
  access: { ...access, scopes: anyOf('attribution:write') },
  body: { schema: z.strictObject({ month: Month }) },
  refusals: ['invalid_state'],
  idempotency: 'natural',
  answers: { 200: { schema: data(Closing) }, 201: { schema: data(Closing) } },
});

export const listClosings = route({
  id: 'listClosings',
  method: 'GET',
  path: '/api/v1/closings',
  summary: 'Closed months, the latest first',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access,
  query: z.object({ cursor: Month.optional(), limit: limitParameter(limits.closings.pageSize) }),
  answers: { 200: { schema: page(Closing) } },
});

export const closingRoutes = { createClosing, listClosings };
