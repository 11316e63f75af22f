import type { Drill } from '@tributary/testkit';
import { numbersFrom } from './numbers-from.ts';
import { openHighlevel } from './providers-crm.ts';
import { openGoogleAds } from './providers-google.ts';
import {
  beginnings,
  type Cell,
  compareFacts,
  type Difference,
  isLasting,
  type LastingFault,
  type Life,
  type LifeEvent,
  lifeEvents,
} from './providers-life.ts';
import { openMercadoPago } from './providers-mercado-pago.ts';
import { openMeta } from './providers-meta.ts';
import { openSearchConsole } from './providers-search.ts';
import { openFintoc, openManychat, openShopify } from './providers-stores.ts';
import { openStripe } from './providers-stripe.ts';
import { printTable } from './providers-table.ts';
import { openProvidersWorld, type ProvidersWorld, type SyncState } from './providers-world.ts';

const sizes = {
  small: { rounds: 1, people: 120, campaigns: 12 },
  full: { rounds: 3, people: 600, campaigns: 18 },
} as const;
/** Days of the month that passes at the end of each round. */
const monthDays = 31;
/** The seed of the random order of events. SEED=7 gives another order. */
const seed = Number(process.env.SEED ?? 20_261_119);

const openers = [
  openMeta,
  openGoogleAds,
  openSearchConsole,
  openHighlevel,
  openStripe,
  openMercadoPago,
  openShopify,
  openFintoc,
  openManychat,
];

/**
 * Connects each provider of the sandbox as a merchant does and simulates months of its life on a fake clock. After every event it compares the
 * ledger, the reports and the published events with the sandbox's books, which use no code of the product. ONLY=Stripe runs one provider.
 */
export const drill: Drill = {
  name: 'providers',
  promise:
    'Whatever happens to an account at any provider, after the next sync the ledger, the reports and the published events match the provider’s own books.',

  async run({ size, progress }) {
    const { rounds, people, campaigns } = sizes[size];
    const days = rounds * (lifeEvents.length + monthDays) + 5;
    const world = await openProvidersWorld({ seed: seed % 1_000, people, campaigns, days });
    try {
      const lives = (await Promise.all(openers.map((open) => open(world)))).filter(
        ({ name }) => !process.env.ONLY || name === process.env.ONLY,
      );
      const cells = new Map<string, Map<LifeEvent, Cell>>(lives.map(({ name }) => [name, new Map()]));
      const differences: Difference[] = [];
      const stillFailed: (SyncState & { event: LifeEvent; provider: string })[] = [];
      const steps = [...beginnings, ...Array.from({ length: rounds }, (_, round) => orderOf(round, size)).flat()];
      for (const [done, event] of steps.entries()) {
        progress(done, steps.length, event);
        const affected = lives.filter(({ events }) => events[event]);
        const { left, errors } = await simulateDay(world, affected, event);
        for (const { life, state } of left) stillFailed.push({ ...state, event, provider: life.name });
        for (const life of affected) {
          const compared = compareFacts(await life.expected(), await life.actual());
          const error = errors.get(life);
          if (error) compared.differences.push({ fact: 'event', book: 'happens', ours: String(error) });
          const row = cells.get(life.name) ?? new Map<LifeEvent, Cell>();
          const before = row.get(event) ?? { compared: 0, differences: 0 };
          row.set(event, {
            compared: before.compared + compared.compared,
            differences: before.differences + compared.differences.length,
          });
          for (const one of compared.differences) differences.push({ provider: life.name, event, ...one });
          for (const one of compared.differences.slice(0, 5))
            console.error(`${life.name}, ${event}: ${one.fact} is ${one.ours}, and in the book ${one.book}`);
        }
      }
      progress(steps.length, steps.length, 'done');
      printTable(cells);
      const all = [...cells.values()].flatMap((row) => [...row.values()]);
      const compared = all.reduce((sum, cell) => sum + cell.compared, 0);
      return {
        passed: differences.length === 0 && stillFailed.length === 0 && all.every((cell) => cell.compared > 0),
        providers: lives.length,
        events: steps.length,
        cells: all.length,
        compared,
        differences: differences.length,
        syncs_still_failed: stillFailed.length,
        days: Math.round((world.now().getTime() - Date.parse(world.first)) / 86_400_000),
        seed,
        table: Object.fromEntries([...cells].map(([name, row]) => [name, Object.fromEntries(row)])),
        ...(differences.length > 0 && { first_differences: differences.slice(0, 20) }),
        ...(stillFailed.length > 0 && { first_failed: stillFailed.slice(0, 5) }),
      };
    } finally {
      await world.close();
    }
  },
};

/** Events in the order of the table at small size, and in random order at full size. The month passes last. */
function orderOf(round: number, size: keyof typeof sizes): LifeEvent[] {
  const events = lifeEvents.filter((event) => !beginnings.includes(event) && event !== 'a month passes');
  const dice = numbersFrom(seed + round);
  const order =
    size === 'small'
      ? events
      : events
          .map((event) => ({ event, at: dice() }))
          .sort((a, b) => a.at - b.at)
          .map(({ event }) => event);
  return [...order, 'a month passes'];
}

/** Simulates a day with one event at each provider. Resolves to the syncs that still fail after the fault has ended. */
async function simulateDay(world: ProvidersWorld, lives: readonly Life[], event: LifeEvent) {
  world.nextNoon(event === 'a month passes' ? monthDays : 1);
  const errors = new Map<Life, unknown>();
  const attempt = (life: Life, work: () => unknown) =>
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => void errors.set(life, error));
  const faults = new Map<Life, LastingFault>();
  await Promise.all(
    lives.map((life) =>
      attempt(life, async () => {
        const result = await life.events[event]?.();
        if (isLasting(result)) faults.set(life, result);
      }),
    ),
  );
  let since = world.now();
  if (faults.size > 0) {
    // Each connection meets the fault at its own time within the hour, and again at its retry.
    for (let minutes = 0; minutes <= 75; minutes += 15) {
      world.kit.clock.advance(15 * 60_000);
      await world.readOnce([...faults.keys()].flatMap(({ connections }) => connections));
    }
    for (const [life, fault] of faults) await attempt(life, () => fault.end());
    since = world.now();
  }
  const states = await world.readUntilIdle(
    lives.flatMap(({ connections }) => connections),
    since,
  );
  const left = states.flatMap((state) =>
    lives.filter(({ connections }) => connections.includes(state.id)).map((life) => ({ life, state })),
  );
  return { left, errors };
}
