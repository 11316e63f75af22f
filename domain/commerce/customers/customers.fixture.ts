import type { Scope } from '@tributary/contract';
import { type SceneTraits, scene, type World } from '@tributary/testkit';
import type { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** A row of the customer list. */
export interface ListedConversion {
  readonly conversion_id: string;
  readonly customer_profile_id: string;
  readonly name: string | null;
  readonly conversion_time: string;
  readonly [field: string]: unknown;
}

export const june = { date_from: '2026-06-01', date_to: '2026-06-30' };

const scopes: readonly Scope[] = ['customers:read', 'attribution:write', 'goals:write'];

/** A profile with helpers to read its customer list. */
export async function openShop(world: World, options: SceneTraits = {}) {
  const profileScene = await scene(world, { scopes, requestsPerMinute: 100_000, ...options });
  const get = async (query: Record<string, string>) => {
    const { status, body } = await profileScene.ask(`/api/v1/customers?${new URLSearchParams(query)}`);
    return { status, body };
  };
  return {
    ...profileScene,
    get,
    /** Reads all pages by following the cursor. */
    async all(query: Record<string, string>) {
      const rows: ListedConversion[] = [];
      const pages: number[] = [];
      let cursor: Record<string, string> = {};
      for (;;) {
        const { status, body } = await get({ ...query, ...cursor });
        if (status !== 200) throw new Error(JSON.stringify(body));
        rows.push(...body.data);
        pages.push(body.data.length);
        if (!body.pagination.has_next) return { rows, pages };
        const [cursor_time, cursor_id] = body.pagination.cursor.split('|');
        cursor = { cursor_time, cursor_id };
      }
    },
    event: (event: object) =>
      profileScene.post('/api/v1/events', { event_name: 'payment_received', idempotency_key: uuid(), ...event }),
    run: (statement: ReturnType<typeof sql>) => profileScene.ledger.transaction((tx) => statement.execute(tx)),
  };
}
