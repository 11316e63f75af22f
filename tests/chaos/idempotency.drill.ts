import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgres } from '@tributary/postgres';
import { buildApiKey, buildProfile, type Drill, freePort, Killable, openDrillEngines } from '@tributary/testkit';
import { sql } from 'kysely';
import { Agent, request } from 'undici';

const sizes = { small: { keys: 300, kills: 3 }, full: { keys: 10_000, kills: 20 } } as const;
const copies = 5;
const keysAtOnce = 12;

/** Five concurrent clients send each key and retry until they get a response, while the API is killed with SIGKILL. */
export const drill: Drill = {
  name: 'idempotency',
  promise:
    'Each Idempotency-Key has exactly one effect and one response, byte for byte, no matter when the API is killed.',

  async run({ size, progress }) {
    const { keys, kills } = sizes[size];
    const engines = await openDrillEngines('drill-idempotency', ['postgres', 'redis']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: 2 });
    const agent = new Agent({ connections: 64 });
    try {
      const profile = await buildProfile(app);
      const apiKey = await buildApiKey(app, profile.id, { requestsPerMinute: 600_000 });
      const port = await freePort();
      const prefix = `drill_${randomBytes(4).toString('hex')}`;
      const api = new Killable(join(import.meta.dirname, 'idempotency-api.ts'), [
        engines.database.appUrl,
        engines.redisUrl,
        prefix,
        String(port),
      ]);
      await api.start();

      let inFlight = 0;
      let done = 0;
      let leastInFlight = Number.POSITIVE_INFINITY;
      const send = async (key: string): Promise<string> => {
        while (true) {
          inFlight += 1;
          try {
            const response = await request(`http://127.0.0.1:${port}/api/v1/record`, {
              method: 'POST',
              headers: { ...apiKey.headers, 'content-type': 'application/json', 'idempotency-key': key },
              body: JSON.stringify({ name: key }),
              dispatcher: agent,
            });
            const text = await response.body.text();
            if (response.statusCode === 201) return text;
            if (![409, 429, 503].includes(response.statusCode))
              throw new UnexpectedResponse(`${response.statusCode} ${text}`);
          } catch (error) {
            if (error instanceof UnexpectedResponse) throw error;
          } finally {
            inFlight -= 1;
          }
          await sleep(5 + Math.random() * 20);
        }
      };

      let different = 0;
      const names = Array.from({ length: keys }, (_, index) => `key-${index}`);
      const clients = Array.from({ length: keysAtOnce }, async () => {
        for (let name = names.pop(); name !== undefined; name = names.pop()) {
          const key = name;
          const bodies = await Promise.all(Array.from({ length: copies }, () => send(key)));
          if (new Set(bodies).size !== 1) different += 1;
          done += 1;
          progress(done, keys, `${api.kills} kills`);
        }
      });
      const killer = (async () => {
        while (api.kills < kills) {
          await sleep(2);
          if (done / keys < (api.kills + 0.5) / (kills + 1) || inFlight === 0) continue;
          leastInFlight = Math.min(leastInFlight, inFlight);
          await api.kill();
          await api.start();
        }
      })();
      await Promise.all([...clients, killer]);
      await api.kill();

      const { effects, repeated } = await app.forProfile(profile.id).transaction(async (tx) => {
        const { rows } = await sql<{ effects: string; repeated: string }>`
          SELECT count(*) AS effects, count(*) - count(DISTINCT payload ->> 'cause') AS repeated FROM outbox`.execute(
          tx,
        );
        return { effects: Number(rows[0]?.effects), repeated: Number(rows[0]?.repeated) };
      });
      return {
        passed: effects === keys && repeated === 0 && different === 0 && leastInFlight > 0,
        keys,
        copies,
        effects,
        repeated_effects: repeated,
        keys_with_different_answers: different,
        kills,
        least_in_flight_at_kill: leastInFlight,
      };
    } finally {
      await agent.close();
      await app.close();
      await engines.close();
    }
  },
};

class UnexpectedResponse extends Error {}
