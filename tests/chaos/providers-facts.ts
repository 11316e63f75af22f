import { randomUUID } from 'node:crypto';
import { dayMs, type EntityLevel, hourMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { type Facts, plainAmount } from './providers-life.ts';
import { centsOf, type ProvidersShop, type ProvidersWorld } from './providers-world.ts';

/** An outcome in the sandbox's book. */
export interface BookedOutcome {
  readonly externalId: string;
  readonly type: string;
  readonly at: string | number;
  /** In major units, or null without a value. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** The amount of refunds and disputes at this moment, in major units. */
  readonly reversed?: number;
  readonly connectionId: string;
}

const outcomeFact = (of: Omit<BookedOutcome, 'externalId' | 'type'>): string => {
  const reversed = plainAmount(Number((of.reversed ?? 0).toFixed(4)));
  const at = new Date(of.at).toISOString();
  return `${plainAmount(of.amount)} ${of.currency ?? '-'}, ${reversed} back, ${at}, by ${of.connectionId}`;
};

/** The expected facts about outcomes in the ledger, the reports and the published events. */
export function factsOfOutcomes(booked: readonly BookedOutcome[], clicked: ReadonlySet<string>): Map<string, string> {
  const facts = new Map<string, string>();
  const counts = new Map<string, number>();
  let [attributed, rest] = [0, 0];
  for (const one of booked) {
    const name = `${one.externalId}/${one.type}`;
    facts.set(`outcome ${name}`, outcomeFact(one));
    facts.set(`event ${name}`, 'published once');
    // A lost deal is an outcome but not a conversion.
    if (!one.type.startsWith('deal_')) counts.set(one.type, (counts.get(one.type) ?? 0) + 1);
    if (one.type !== 'payment_received' || one.amount === null || one.currency === null) continue;
    const net = Math.max(0, Number(one.amount) - (one.reversed ?? 0));
    if (clicked.has(one.externalId)) attributed += centsOf(net, one.currency);
    else rest += centsOf(net, one.currency);
  }
  for (const [type, count] of counts) facts.set(`report, ${type}`, String(count));
  facts.set('report, attributed cents', String(attributed));
  facts.set('report, unattributed cents', String(rest));
  return facts;
}

interface LedgerRow {
  readonly external_id: string;
  readonly event_key: string;
  readonly at: Date;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly refunded: string;
  readonly connection_id: string;
}

/** Reads the same facts from the ledger, the reports and the outbox. */
export async function readOutcomeFacts(shop: ProvidersShop): Promise<Map<string, string>> {
  const facts = new Map<string, string>();
  const rows = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await shop.ledger.transaction((tx) => statement.execute(tx))).rows;
  const outcomes = await rows(sql<LedgerRow>`
    SELECT external_id, event_key, occurred_at AS at, amount::text, currency, coalesce(refunded, 0)::text AS refunded, connection_id
    FROM outcomes`);
  for (const row of outcomes) {
    const reversed = Number(row.refunded);
    facts.set(
      `outcome ${row.external_id}/${row.event_key}`,
      outcomeFact({ ...row, at: row.at.getTime(), connectionId: row.connection_id, reversed }),
    );
  }
  const published = await rows(sql<{ name: string; count: number }>`
    SELECT (payload ->> 'external_id') || '/' || (payload ->> 'outcome_type') AS name, count(DISTINCT id)::int AS count
    FROM outbox WHERE type = 'outcome.recorded' GROUP BY 1`);
  for (const { name, count } of published)
    facts.set(`event ${name}`, count === 1 ? 'published once' : `published ${count} times`);
  const campaigns = (await shop.report('/campaigns', { level: 'campaign', limit: '100' })).data as EarningsRow[];
  const rest = (await shop.report('/campaigns/unattributed')).data as EarningsRow;
  const counts = new Map<string, number>();
  for (const row of [...campaigns, rest])
    for (const [type, count] of Object.entries(row.attributed_outcomes_by_type))
      counts.set(type, (counts.get(type) ?? 0) + count);
  for (const [type, count] of counts) if (count > 0) facts.set(`report, ${type}`, String(count));
  const cents = ({ outcome_value }: EarningsRow) => Math.round((outcome_value ?? 0) * 100);
  facts.set('report, attributed cents', String(campaigns.reduce((sum, row) => sum + cents(row), 0)));
  facts.set('report, unattributed cents', String(cents(rest)));
  return facts;
}

interface EarningsRow {
  readonly outcome_value: number | null;
  readonly attributed_outcomes_by_type: Readonly<Record<string, number>>;
}

/** Clicks of a shop's customers on an ad before they buy, each in a browser that is linked to the customer later. */
export class Clicks {
  readonly #world: ProvidersWorld;
  readonly #shop: ProvidersShop;
  readonly #open: { email: string; visitorId: string }[] = [];

  constructor(world: ProvidersWorld, shop: ProvidersShop) {
    this.#world = world;
    this.#shop = shop;
  }

  /** Stores a click of an hour ago. `link` links its browser to the customer, once the ledger has the customer. */
  async click(
    email: string,
    ad: { readonly platform: string; readonly campaign: string; readonly adSet: string; readonly ad: string } = winter,
  ): Promise<void> {
    const visitorId = randomUUID();
    const idOf = (level: EntityLevel, id: string) => this.#shop.entity(level, id, ad.platform);
    await this.#shop.touch({
      visitor_id: visitorId,
      occurred_at: new Date(this.#world.now().getTime() - hourMs).toISOString(),
      kind: 'visit',
      medium: 'paid',
      platform: ad.platform,
      campaign_id: idOf('campaign', ad.campaign),
      ad_set_id: idOf('ad_set', ad.adSet),
      ad_id: idOf('ad', ad.ad),
      country: 'CL',
      device: 'mobile',
    });
    this.#open.push({ email, visitorId });
  }

  async link(): Promise<void> {
    for (const { email, visitorId } of this.#open.splice(0)) await this.#shop.link(visitorId, email);
  }

  /** Reports spend of the ad, so that its revenue appears in a report. */
  async advertise(): Promise<void> {
    const date = new Date(this.#world.now().getTime() - dayMs).toISOString().slice(0, 10);
    await this.#shop.spend({
      date,
      spend: '1',
      external_id: winter.ad,
      ad_set_external_id: winter.adSet,
      campaign_external_id: winter.campaign,
    });
  }
}

const winter = { platform: 'social_ads', campaign: 'winter', adSet: 'broad', ad: 'film' };

/** Reads the state of each connection and the provider records that the ledger rejected. */
export async function readConnectionFacts(world: ProvidersWorld, ids: readonly string[]): Promise<Map<string, string>> {
  const states = await world.statesOf(ids);
  return new Map(
    states.map(({ id, status, state, lastError, rejected, rejectedRows }) => [
      `connection ${id}`,
      `${status}, ${state}, ${lastError ?? 'no error'}, ${rejected === 0 ? 'nothing' : JSON.stringify(rejectedRows)} rejected`,
    ]),
  );
}

export const healthy = (ids: readonly string[]): [string, string][] =>
  ids.map((id) => [`connection ${id}`, 'connected, idle, no error, nothing rejected']);

export const merged = (...facts: Facts[]): Map<string, string> => new Map(facts.flatMap((some) => [...some]));
