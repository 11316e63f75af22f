import { createExperiment, startExperiment } from '@tributary/domain/measurement/experiments/module.ts';
import { createClosing } from '@tributary/domain/measurement/reports/module.ts';
import type { Book, Campaign, DeliveryRow, Market } from '@tributary/market';
import type { Postgres, Tx } from '@tributary/postgres';
import { dayOf } from '@tributary/rules';
import { dayMs, hourMs } from '@tributary/vocabulary';

/** The latest closed month (closed on the third of the next month at nine), and the time of closing. */
export function lastClosing(now: Date): { readonly month: string; readonly at: Date } {
  const third = (monthsBack: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsBack, 3, 9));
  const at = +third(0) < +now - hourMs ? third(0) : third(1);
  const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1)).toISOString().slice(0, 'YYYY-MM'.length);
  return { month, at };
}

interface Past {
  readonly app: Postgres;
  readonly market: Market;
  readonly book: Book;
  readonly delivery: readonly DeliveryRow[];
  readonly now: Date;
}

/** Records past actions of members with the API's handlers on a past clock: a closed month and two experiments. */
export async function recordPast(past: Past): Promise<void> {
  const { app, market, now } = past;
  const closing = lastClosing(now);
  if (+closing.at - 35 * dayMs >= market.from)
    await createClosing({ body: { month: closing.month } } as never, actingAt(app, market.profileId, closing.at));
  const [finished, running] = mostExpensive(past);
  if (finished) await recordStudy(past, finished);
  if (running) await startTest(past, running);
}

/** The context of a handler: an operator of the profile at a given time. */
const actingAt = (app: Postgres, profileId: string, now: Date, effect = app.forProfile(profileId).transaction) =>
  ({ caller: { profileId, kind: 'operator', credentialId: null }, effect, now }) as never;

/** Campaigns by spend, highest first. */
function mostExpensive({ market, delivery }: Past): Campaign[] {
  const spentOn = ({ id }: Campaign) =>
    delivery.filter(({ entity }) => entity.id === id).reduce((sum, { spend }) => sum + Number(spend), 0);
  return market.campaigns.toSorted((one, other) => spentOn(other) - spentOn(one));
}

/** Records a platform's finished lift study. Its result is the market's true effect of the campaign. */
async function recordStudy({ app, market, book, delivery, now }: Past, campaign: Campaign): Promise<void> {
  const [from, to, recordedAt] = [49, 29, 27].map((days) => new Date(+now - days * dayMs)) as [Date, Date, Date];
  const caused = book.effects
    .filter(({ ad }) => ad.adSet.campaign.id === campaign.id)
    .reduce((sum, { revenue }) => sum + Number(revenue), 0);
  const lift = Math.round((1_000 * caused) / Math.max(Number(book.totals.value) - caused, 1)) / 10;
  const spend = delivery
    .filter(({ entity, day }) => entity.id === campaign.id && day >= dayOf(from) && day <= dayOf(to))
    .reduce((sum, row) => sum + Number(row.spend) / 100, 0);
  const body = {
    kind: 'external',
    name: `Conversion lift of ${campaign.name}`,
    entity_ids: [campaign.id],
    date_from: dayOf(from),
    date_to: dayOf(to),
    lift_pct: lift,
    low_pct: Math.round(lift * 5) / 10,
    high_pct: Math.round(lift * 15) / 10,
    spend,
    source: 'Conversion lift study of the platform',
  };
  await createExperiment({ body } as never, actingAt(app, market.profileId, recordedAt));
}

/** Percent, in the order in which they are tried. */
const expectedEffects = [15, 25, 40, 60, 90];

class TooSmall extends Error {}

/** Starts a geo experiment that began five days ago, for the smallest effect of the list that it can detect. */
async function startTest({ app, market, now }: Past, campaign: Campaign): Promise<void> {
  const [plannedAt, firstDay] = [new Date(+now - 7 * dayMs), new Date(+now - 5 * dayMs)];
  const { transaction } = app.forProfile(market.profileId);
  for (const expected of expectedEffects) {
    const body = {
      kind: 'regions',
      name: `Does ${campaign.name} bring sales we would not have had?`,
      entity_ids: [campaign.id],
      date_from: dayOf(firstDay),
      days: 14,
      cool_down_days: 3,
      expected_effect_pct: expected,
      exclude_regions: [],
    };
    // Rolls back if the experiment lacks power, so that no draft remains.
    const effect = (work: (tx: Tx) => Promise<{ body: { data: { id: string; power: { verdict: string } | null } } }>) =>
      transaction(async (tx) => {
        const answer = await work(tx);
        if (answer.body.data.power?.verdict !== 'enough') throw new TooSmall();
        return answer;
      });
    try {
      const made = await createExperiment(
        { body } as never,
        actingAt(app, market.profileId, plannedAt, effect as typeof transaction),
      );
      const { id } = (made as { body: { data: { id: string } } }).body.data;
      await startExperiment({ params: { id } } as never, actingAt(app, market.profileId, new Date(+now - 6 * dayMs)));
      return;
    } catch (error) {
      // A market of few people has too few purchases for an experiment.
      if (!(error instanceof TooSmall) && (error as { code?: string }).code !== 'invalid_state') throw error;
    }
  }
}
