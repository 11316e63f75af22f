import { attribute, weightsOf } from '@tributary/rules';
import { type AttributionModel, attributionModelNames, type EntityLevel, entityLevels } from '@tributary/vocabulary';
import { type BookedConversion, conversionsOf, touchesOf } from './book.ts';
import type { Market } from './market.ts';
import type { Household } from './person.ts';

/** The expected report figures of an entity on a day. */
export interface ReportCell {
  readonly model: AttributionModel;
  readonly level: EntityLevel;
  /** The entity's internal id; null for what no entity of the level is credited with. */
  readonly entityId: string | null;
  /** The day of the conversion in the profile's time zone. */
  readonly day: string;
  readonly conversionType: string;
  /**
   * Conversions in which the entity has a share, each counted once. For null: conversions in which no entity has a
   * share.
   */
  readonly outcomes: number;
  /** For null: conversions that are only partly credited to entities. */
  readonly partly: number;
  /** First purchases among them: a deposit counts, its balance does not. */
  readonly newPurchases: number;
  /** In minor units of the reporting currency. */
  readonly revenue: bigint;
}

/**
 * Computes expected reports from what people did, conversion by conversion, with packages/rules only and no SQL. It
 * is slow, but its size does not grow with people: cells are per entity and day.
 */
export class ReportBook {
  readonly #market: Market;
  readonly #cells = new Map<string, { outcomes: number; partly: number; newPurchases: number; revenue: bigint }>();
  /** The parents of an ad, also when its link does not name them. */
  readonly #parents: ReadonlyMap<string, Readonly<Record<EntityLevel, string>>>;

  constructor(market: Market) {
    this.#market = market;
    this.#parents = new Map(
      market.ads.flatMap((ad) => {
        const chain = { campaign: ad.adSet.campaign.id, ad_set: ad.adSet.id, ad: ad.id };
        return [[ad.id, chain] as const, [ad.adSet.id, chain] as const];
      }),
    );
  }

  add(household: Household): void {
    for (const conversion of conversionsOf(this.#market, household)) {
      const { touches, credits } = attribute(conversion, touchesOf(household, conversion));
      for (const model of attributionModelNames) {
        const weights = touches.length === 0 ? [] : weightsOf(model, touches);
        for (const level of entityLevels) {
          const shares = new Map<string | null, bigint>();
          for (const [place, touch] of touches.entries()) {
            if (weights[place] === 0n) continue;
            const entity = this.#entityOf(level, touch);
            shares.set(entity, (shares.get(entity) ?? 0n) + (credits[model][place] ?? 0n));
          }
          // A conversion without touches is credited to no entity.
          if (touches.length === 0) shares.set(null, conversion.value);
          for (const [entity, revenue] of shares) {
            const isCounted = entity !== null || shares.size === 1;
            this.#count(model, level, entity, conversion, { revenue, isCounted });
          }
        }
      }
    }
  }

  /** All cells in a stable order. */
  cells(): ReportCell[] {
    return [...this.#cells]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, sums]) => {
        const [model, level, day, conversionType, entity] = key.split(' ') as [string, string, string, string, string];
        return {
          model: model as AttributionModel,
          level: level as EntityLevel,
          entityId: entity === '' ? null : entity,
          day,
          conversionType,
          ...sums,
        };
      });
  }

  #entityOf(level: EntityLevel, touch: { campaignId: string | null; adSetId: string | null; adId: string | null }) {
    const own = { campaign: touch.campaignId, ad_set: touch.adSetId, ad: touch.adId }[level];
    if (own !== null || level === 'ad') return own;
    const below = touch.adId ?? (level === 'campaign' ? touch.adSetId : null);
    return (below && this.#parents.get(below)?.[level]) ?? null;
  }

  #count(
    model: AttributionModel,
    level: EntityLevel,
    entity: string | null,
    { day, conversionType, outcome }: BookedConversion,
    { revenue, isCounted }: { readonly revenue: bigint; readonly isCounted: boolean },
  ): void {
    const key = `${model} ${level} ${day} ${conversionType} ${entity ?? ''}`;
    const cell = this.#cells.get(key) ?? { outcomes: 0, partly: 0, newPurchases: 0, revenue: 0n };
    this.#cells.set(key, {
      outcomes: cell.outcomes + (isCounted ? 1 : 0),
      partly: cell.partly + (isCounted ? 0 : 1),
      newPurchases: cell.newPurchases + (isCounted && outcome.standing?.purchaseId === outcome.id ? 1 : 0),
      revenue: cell.revenue + revenue,
    });
  }
}
