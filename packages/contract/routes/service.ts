import { changeKinds } from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate } from '../primitives.ts';
import { route } from '../route.ts';

/** Routes about the service itself: its description and its changelog. */
export const readOpenapi = route({
  id: 'readOpenapi',
  method: 'GET',
  path: '/api/v1/openapi.json',
  summary: 'The machine-readable description of this API',
  chapter: 'Service',
  access: { credentials: ['public'], grain: 'profile' },
  rate: 'public',
  isDocument: true,
  answers: {
    200: { schema: z.looseObject({ openapi: z.string() }), bare: true, description: 'An OpenAPI 3.1 document.' },
  },
});

export const readChangelog = route({
  id: 'readChangelog',
  method: 'GET',
  path: '/api/v1/changelog',
  summary: 'What changed in this API, newest first',
  chapter: 'Service',
  access: { credentials: ['public'], grain: 'profile' },
  rate: 'public',
  isDocument: true,
  answers: {
    200: {
      schema: z.strictObject({
        data: z.array(
          z.strictObject({
            date: CalendarDate,
            changes: z.array(z.strictObject({ kind: z.enum(changeKinds), text: z.string().min(1) })).min(1),
          }),
        ),
        meta: z.strictObject({}),
      }),
      bare: true,
    },
  },
});
