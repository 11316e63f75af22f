import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type AttributedTouch, attribute } from '@tributary/rules';
import { type AttributionModel, attributionModelNames } from '@tributary/vocabulary';

export interface AffectedConversion {
  readonly at: number;
  readonly lookbackDays: number;
  /** The customer's touches now and with the referrals. */
  readonly before: readonly AttributedTouch[];
  readonly after: readonly AttributedTouch[];
}

/** Limits the touches evaluated per request, so that a customer with very many cannot block the process. */
const maxEvaluated = 2_000_000;

export interface RecreditedCounts {
  readonly counts: Record<AttributionModel, number>;
  readonly isComplete: boolean;
}

/** Counts, per model, the conversions whose credit would change. */
export async function countRecredited(
  conversions: readonly AffectedConversion[],
  signal: AbortSignal,
): Promise<RecreditedCounts> {
  const counts = Object.fromEntries(attributionModelNames.map((model) => [model, 0])) as RecreditedCounts['counts'];
  let evaluated = 0;
  for (const [index, { before, after, ...window }] of conversions.entries()) {
    evaluated += before.length + after.length;
    if (evaluated > maxEvaluated) return { counts, isComplete: false };
    const conversion = { ...window, value: fullCredit };
    const [then, now] = [attribute(conversion, before), attribute(conversion, after)];
    for (const model of attributionModelNames) {
      if (serialiseShares(then, model) !== serialiseShares(now, model)) counts[model] += 1;
    }
    if (index % 100 === 99) {
      await yieldToEventLoop();
      signal.throwIfAborted();
    }
  }
  return { counts, isComplete: true };
}

/** Divided instead of the conversion's value, since a conversion without money is credited, too. */
const fullCredit = 10n ** 15n;

const serialiseShares = ({ touches, credits }: ReturnType<typeof attribute>, model: AttributionModel): string =>
  JSON.stringify(
    touches.flatMap(({ touchId }, index) => (credits[model][index] ? [[touchId, `${credits[model][index]}`]] : [])),
  );
