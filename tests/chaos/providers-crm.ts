import { rereadDeals } from '@tributary/domain/advertising/connections/module.ts';
import { json } from '@tributary/sandbox';
import type { BookedOutcome } from './providers-facts.ts';
import { cutOff, outage, revoked, throttled } from './providers-faults.ts';
import type { Life } from './providers-life.ts';
import { customerOf, factsOfSeller, openSeller } from './providers-payments.ts';
import type { ProvidersWorld } from './providers-world.ts';

const endings = { open: undefined, won: 'closed_won', lost: 'deal_lost', abandoned: 'deal_abandoned' } as const;
/** The outcome type that each stage's name suggests, by the position of the stage. */
const suggested: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  ventas: { 0: 'lead_created', 2: 'appointment_booked', 3: 'quote_sent', 4: 'closed_won' },
  servicios: { 0: 'lead_created', 1: 'appointment_booked' },
};
const [santiago, lima] = ['locSantiago', 'locLima'] as const;

export async function openHighlevel(world: ProvidersWorld): Promise<Life> {
  const seller = await openSeller(world);
  const { shop, clicks, connections } = seller;
  const book = world.sales.highlevel;
  const { consents } = world.sandboxOf('crm_a');
  const byLocation = new Map<string, string>();
  const mapping = new Map<string, string>();
  for (const location of [santiago, lima])
    for (const [pipeline, types] of Object.entries(suggested))
      for (const [position, type] of Object.entries(types)) mapping.set(`${location}-${pipeline}-${position}`, type);
  /** One outcome per deal and type that a sync has seen, with its latest date and value. */
  const seen = new Map<string, BookedOutcome>();
  const readBook = (): readonly BookedOutcome[] => {
    for (const deal of book.deals) {
      const connectionId = byLocation.get(deal.locationId);
      if (connectionId === undefined) continue;
      const put = (type: string | undefined, at: string) =>
        type &&
        seen.set(`${deal.id}/${type}`, {
          externalId: deal.id,
          type,
          at,
          amount: deal.monetaryValue === null ? null : String(deal.monetaryValue),
          currency: deal.monetaryValue === null ? null : 'USD',
          connectionId,
        });
      const [staged, ended] = [mapping.get(deal.pipelineStageId), endings[deal.status]];
      if (staged !== ended) put(staged, deal.lastStageChangeAt);
      put(ended, deal.lastStatusChangeAt);
    }
    return [...seen.values()];
  };
  let made = 0;
  const create = (locationId: string = santiago) => {
    made += 1;
    const { id, name, email, phone } = customerOf('crm', made);
    return book.create({
      locationId,
      monetaryValue: made % 5 === 0 ? null : 900 + made,
      contact: { id, name, email, phone },
    });
  };
  const stageOf = (position: number, pipeline = `${santiago}-ventas`) => ({
    pipelineId: pipeline,
    pipelineStageId: `${pipeline}-${position}`,
  });
  /** Returns a few open deals, different ones each time. */
  const open = (count: number) => {
    const all = book.deals.filter(({ status, locationId }) => status === 'open' && locationId === santiago);
    return Array.from({ length: count }, (_, n) => all[(made * 7 + n * 3) % all.length] ?? create());
  };
  const connect = async (location: string) => {
    const id = await shop.consent('crm_a', location);
    if (!byLocation.has(location)) connections.push(id);
    byLocation.set(location, id);
  };
  const webhook = (type: string, id: string) =>
    shop.deliver('crm_a', book.webhook({ type, locationId: santiago, id }), byLocation.get(santiago));
  const api = {
    path: /^\/highlevel\/(opportunities|locations)/,
    throttle: json(
      429,
      { statusCode: 429, message: 'Too Many Requests' },
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-interval-milliseconds': '10000' },
    ),
  };
  return {
    name: 'HighLevel',
    channel: 'crm_a',
    ...factsOfSeller(world, seller, readBook),
    events: {
      consent: () => connect(santiago),
      'first sync': () => clicks.advertise(),
      mapping: async () => {
        const { stages } = await shop.asApp('GET', '/connections/crm_a/stages?locale=es');
        const stage = stages.find(({ id }: { id: string }) => id === `${santiago}-ventas-1`);
        const url = `/api/v1/outcome-definitions/${stage.definition_id}`;
        const response = await shop.call('PATCH', url, { event_key: 'messaging_started' });
        if (response.statusCode !== 200) throw new Error(response.body);
        mapping.set(stage.id, 'messaging_started');
        await rereadDeals(world.kit.app, { profileId: shop.profileId }, world.now());
      },
      attribution: async () => {
        for (let n = 0; n < 3; n += 1) await clicks.click(create().contact?.email ?? '');
      },
      'new records': () => {
        create();
        if (byLocation.has(lima)) create(lima);
        book.create({ locationId: santiago, monetaryValue: 50, contact: null });
      },
      changed: () => {
        const [one, other] = open(2);
        if (one) book.change(one.id, { monetaryValue: 1_234.5 });
        if (other) book.change(other.id, stageOf(3));
      },
      moved: () => {
        for (const [n, { id }] of open(4).entries()) book.change(id, stageOf(n + 1));
        const [other] = open(1);
        if (other) book.change(other.id, stageOf(1, `${santiago}-servicios`));
      },
      // A deal is won, reopened and lost. Outcomes that a sync has seen remain, and the last ending has the last date.
      reopened: () => {
        const [one, other] = [create(), create()];
        book.change(one.id, { status: 'won' });
        const lost = book.deals.find(({ status, locationId }) => status === 'lost' && locationId === santiago);
        if (lost) book.change(lost.id, { status: 'won', monetaryValue: 777.5 });
        book.change(other.id, { status: 'abandoned' });
        return {
          end: () => {
            readBook();
            world.kit.clock.advance(600_000);
            book.change(one.id, { status: 'open' });
            book.change(one.id, { status: 'lost' });
            book.change(other.id, { status: 'won' });
          },
        };
      },
      merged: () => {
        const [survivor, absorbed] = [create(), create()];
        return {
          end: () => {
            readBook();
            book.change(survivor.id, { contact: absorbed.contact });
            book.remove(absorbed.id);
          },
        };
      },
      'archived or deleted': () => {
        const removed = create();
        book.change(removed.id, { status: 'won' });
        return {
          end: () => {
            readBook();
            book.remove(removed.id);
          },
        };
      },
      'revoked, reconnected': () =>
        revoked(
          shop,
          { accounts: byLocation, revoke: (account) => consents.revokeAll('highlevel', account), connect },
          () => create(),
        ),
      outage: () => outage(world, 'crm_a', api, () => create()),
      throttled: () => throttled(world, 'crm_a', api, () => create()),
      'page cut off': () => cutOff(world, 'crm_a', api, () => create()),
      'token expired': () => void create(),
      'second account': () => (byLocation.has(lima) ? void create(lima) : connect(lima)),
      'lost webhook': () => book.change(create().id, { status: 'won' }),
      'webhook twice, out of order': async () => {
        const deal = create();
        book.change(deal.id, stageOf(2));
        book.change(deal.id, { status: 'won' });
        const types = [
          'OpportunityStatusUpdate',
          'OpportunityStageUpdate',
          'OpportunityStatusUpdate',
          'OpportunityCreate',
        ];
        for (const type of types) await webhook(type, deal.id);
      },
      'a month passes': () => void create(),
    },
  };
}
