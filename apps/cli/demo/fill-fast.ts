import { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { ClickHouse } from '@tributary/clickhouse';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import {
  type Browser,
  definitions,
  type Household,
  households,
  isLate,
  type Market,
  type Outcome,
  type Touch,
} from '@tributary/market';
import type { Postgres } from '@tributary/postgres';
import { eventNameKey } from '@tributary/rules';
import { sql } from 'kysely';
import { v5 as uuidFrom } from 'uuid';
import { type LaterRefund, LedgerBatch, type LedgerOptions } from './ledger-rows.ts';
import { regionOf } from './regions.ts';
import { TaskPool } from './task-pool.ts';
import { touchColumns, touchWriter } from './touch-lines.ts';

export interface FillEngines {
  readonly app: Postgres;
  /** Writes exchange rates, which are shared by all profiles. */
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
}

export interface FillOptions {
  /**
   * `all` at once; or `on_time` events first and, once those are attributed, `late` ones, which mark the conversions they change. First payments have
   * their final state from the beginning.
   */
  readonly part?: 'all' | 'on_time' | 'late';
  /** Leaves out everything after this time. Filling again with a later time adds the rest. */
  readonly until?: number;
  /**
   * Records payments as they were before their refunds; refunds before `until` are returned, to be applied as later changes. Customers appear with
   * their first outcome, and rows that would be recorded after `until` are left out.
   */
  readonly isHistoric?: boolean;
  /** False: customers cannot be found by name or number, which saves ten rows each. */
  readonly isSearchable?: boolean;
  /** Receives every household: a Book or a ReportBook. */
  readonly watch?: (household: Household) => void;
  readonly progress?: (done: number, total: number, note: string) => void;
  readonly signal?: AbortSignal;
}

export interface Filled {
  /** Includes duplicates. */
  readonly touches: number;
  readonly outcomes: number;
  /** Only of a historic fill. */
  readonly refunds?: readonly LaterRefund[];
  /** Only of a historic fill: outcomes that were recorded more than a day after they happened. */
  readonly late?: readonly { readonly id: string; readonly at: number }[];
}

const touchesOfBatch = 100_000;
const rowsOfBatch = 4_000;

/**
 * Writes a market into the engines in bulk, bypassing the API and the pipeline: profile, definitions, exchange rates, customers with identifiers,
 * browsers, outcomes pending attribution, and touches. Memory use is constant. Restarting an interrupted fill creates no duplicates.
 */
export async function fillFast(market: Market, engines: FillEngines, options: FillOptions = {}): Promise<Filled> {
  const {
    part = 'all',
    until = Number.POSITIVE_INFINITY,
    isHistoric = false,
    isSearchable = true,
    watch = () => {},
    progress = () => {},
    signal,
  } = options;
  const isWanted = (one: { readonly at: number; readonly arrivesAt: number }) =>
    one.at < until && (part === 'all' || isLate(one) === (part === 'late'));
  if (part !== 'late') await createProfile(market, engines);
  const ledger = new Ledger(market, engines.app, { isSearchable, historicUntil: isHistoric ? until : undefined });
  const late: { id: string; at: number }[] = [];
  const columns = new Columns(market, engines, part === 'late');
  let [done, outcomes, since] = [0, 0, 0];
  for (const household of households(market)) {
    signal?.throwIfAborted();
    watch(household);
    const happened = household.people.flatMap((person) =>
      person.outcomes.filter((one) => isWanted(one) && !(isHistoric && one.arrivesAt >= until)),
    );
    if (isHistoric) late.push(...happened.filter(isLate).map(({ id, arrivesAt: at }) => ({ id, at })));
    outcomes += happened.length;
    await ledger.add(household, happened, part !== 'late');
    for (const browser of household.browsers) await columns.add(browser, browser.touches.filter(isWanted));
    done += household.people.length;
    since += 1;
    if (since < 64) continue;
    // Yields to the event loop, so that responses of the engines are processed.
    await otherWork();
    since = 0;
    progress(Math.min(done, market.people), market.people, `${columns.count.toLocaleString('en')} touches`);
  }
  await ledger.close();
  await columns.close();
  progress(market.people, market.people, `${columns.count.toLocaleString('en')} touches`);
  return { touches: columns.count, outcomes, ...(isHistoric && { refunds: ledger.refunds, late }) };
}

class Ledger {
  readonly #market: Market;
  readonly #app: Postgres;
  readonly #lanes = new TaskPool(2);
  readonly #options: LedgerOptions;
  #batch: LedgerBatch;
  readonly refunds: LaterRefund[] = [];

  constructor(market: Market, app: Postgres, options: LedgerOptions) {
    this.#market = market;
    this.#app = app;
    this.#options = options;
    this.#batch = new LedgerBatch(market, options);
  }

  async add(household: Household, outcomes: readonly Outcome[], withPeople: boolean): Promise<void> {
    if (withPeople) this.#batch.addPeople(household);
    for (const outcome of outcomes) this.#batch.addOutcome(outcome, regionOf(household));
    if (this.#batch.count >= rowsOfBatch) await this.#send();
  }

  async close(): Promise<void> {
    await this.#send();
    await this.#lanes.drain();
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = new LedgerBatch(this.#market, this.#options);
    this.refunds.push(...batch.laterRefunds);
    await this.#lanes.run(() => batch.write(this.#app));
  }
}

class Columns {
  readonly #market: Market;
  readonly #engines: FillEngines;
  readonly #isMarking: boolean;
  readonly #lanes = new TaskPool(2);
  readonly #write: ReturnType<typeof touchWriter>;
  #chunks: Buffer[] = [];
  #rows = 0;
  #marks: { visitorIds: string[]; times: string[] } = { visitorIds: [], times: [] };
  count = 0;

  constructor(market: Market, engines: FillEngines, isMarking: boolean) {
    this.#market = market;
    this.#engines = engines;
    this.#isMarking = isMarking;
    this.#write = touchWriter(market);
  }

  async add(browser: Browser, touches: readonly Touch[]): Promise<void> {
    if (touches.length === 0) return;
    this.#chunks.push(Buffer.from(this.#write(browser, touches), 'latin1'));
    for (const { at, copies } of touches) {
      this.#rows += copies;
      if (!this.#isMarking) continue;
      this.#marks.visitorIds.push(browser.visitorId);
      this.#marks.times.push(new Date(at).toISOString());
    }
    if (this.#rows >= touchesOfBatch) await this.#send();
  }

  async close(): Promise<void> {
    if (this.#rows > 0) await this.#send();
    await this.#lanes.drain();
  }

  async #send(): Promise<void> {
    const [chunks, marks] = [this.#chunks, this.#marks];
    this.count += this.#rows;
    [this.#chunks, this.#marks, this.#rows] = [[], { visitorIds: [], times: [] }, 0];
    await this.#lanes.run(async () => {
      const { app, clickhouse } = this.#engines;
      await clickhouse.insertText('touches', touchColumns, Readable.from(chunks, { objectMode: false }));
      // Marks conversions only after the touches are stored: a worker that attributes them now must find the touches.
      if (this.#isMarking) await markTouched(app, this.#market.profileId, marks);
    });
  }
}

const marksOfCall = 5_000;

async function markTouched(
  app: Postgres,
  profileId: string,
  { visitorIds, times }: { readonly visitorIds: readonly string[]; readonly times: readonly string[] },
): Promise<void> {
  for (let from = 0; from < visitorIds.length; from += marksOfCall) {
    const visitors = visitorIds.slice(from, from + marksOfCall);
    await app
      .forProfile(profileId)
      .transaction((tx) =>
        sql`SELECT mark_touched(${visitors.map(() => profileId)}::uuid[], ${visitors}::uuid[], ${times.slice(from, from + marksOfCall)}::timestamptz[])`.execute(
          tx,
        ),
      );
  }
}

/** Creates the profile in a new workspace unless it exists, with its definitions and the exchange rates. */
async function createProfile(market: Market, { app, system }: FillEngines): Promise<void> {
  const { profileId, timeZone, reportingCurrency } = market;
  const workspaceId = uuidFrom('workspace of a market', profileId);
  const createdAt = new Date(market.from);
  await app.withScope({ workspaceId, profileId }).transaction(async (tx) => {
    const existing = await tx.selectFrom('profiles').select('id').where('id', '=', profileId).executeTakeFirst();
    if (!existing) {
      await tx
        .insertInto('workspaces')
        .values({ id: workspaceId, name: 'Simulated market', created_at: createdAt })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await tx
        .insertInto('profiles')
        .values({
          id: profileId,
          workspace_id: workspaceId,
          name: `Market ${market.seed}`,
          time_zone: timeZone,
          reporting_currency: reportingCurrency,
          created_at: createdAt,
        })
        .execute();
    }
    for (const definition of definitions) {
      const id = uuidFrom(`definition ${definition.key}`, profileId);
      await tx
        .insertInto('definitions')
        .values({
          profile_id: profileId,
          id,
          key: definition.key,
          name: definition.key.replaceAll('_', ' '),
          conversion_type: definition.conversionType,
          counts_as_cash: definition.countsAsCash,
          is_attribution_eligible: definition.isAttributionEligible,
          lookback_window_days: definition.lookbackWindowDays,
          is_default: definition.isDefault,
          created_at: createdAt,
          updated_at: createdAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await tx
        .insertInto('definition_events')
        .values(
          definition.eventNames.map((name) => ({
            profile_id: profileId,
            event_key: eventNameKey(name),
            definition_id: id,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
  // Rates are shared by all profiles: a single-currency market must not replace another market's rates.
  if (new Set([...market.currencies, reportingCurrency]).size > 1)
    await saveRates(system, 'market', market.rates.quotes);
}
