import { anyOf, data, route } from '@tributary/contract';
import { announce } from '@tributary/domain/tenancy/events';
import { answer } from '@tributary/operations';
import { createPostgres } from '@tributary/postgres';
import { serve, served } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';

/** An API process for the drill to kill. Its only route publishes an event. */
const [appUrl = '', redisUrl = '', redisPrefix = '', port = ''] = process.argv.slice(2);

const record = route({
  id: 'record',
  method: 'POST',
  path: '/api/v1/record',
  audit: 'not needed: a test',
  summary: 'Record',
  chapter: 'Drill',
  access: { credentials: ['api_key'], scopes: anyOf('attribution:write'), grain: 'profile' },
  body: { schema: z.object({ name: z.string() }) },
  idempotency: 'required',
  rate: 'ingest',
  answers: { 201: { schema: data(z.strictObject({ event_id: z.uuid(), at: z.string() })) } },
});

const app = createPostgres({ url: appUrl, poolSize: 20 });
const { fastify } = await serve(
  { app, redisUrl, redisPrefix, clock: { now: () => new Date() } },
  [
    served(record, ({ body }, { effect, caller, now }) =>
      effect(async (tx) => {
        const id = uuid();
        const profileId = caller.profileId as string;
        const data = { profile_id: profileId, replay_id: id, cause: body.name, conversions: 0 };
        await announce(tx, [{ id, type: 'recompute.completed', data, occurredAt: now }]);
        return answer(201, { data: { event_id: id, at: now.toISOString() } });
      }),
    ),
  ],
  { quiet: true, unlimited: true },
);
await fastify.listen({ host: '127.0.0.1', port: Number(port) });
process.send?.('ready');
