import { setImmediate as breathe } from 'node:timers/promises';
import { type AttributedTouch, attribute } from '@tributary/rules';
import { type AttributionModel, attributionModelNames } from '@tributary/vocabulary';

export interface Concerned {
  readonly at: number;
  readonly lookbackDays: number;
  /** Touches of its person as they stand, and as they would. */
  readonly before: readonly AttributedTouch[];
  readonly after: readonly AttributedTouch[];
}

/** Somebody with endless touches and conversions must not keep a process busy: so many touches are looked at in all. */
const mostLookedAt = 2_000_000;

export interface Recredited {
  readonly counts: Record<AttributionModel, number>;
  readonly isComplete: boolean;
}

/** Of each model, how many conversions would divide their credit otherwise. */
export async function countRecredited(conversions: readonly Concerned[], signal: AbortSignal): Promise<Recredited> {
  const counts = Object.fromEntries(attributionModelNames.map((model) => [model, 0])) as Recredited['counts'];
  let looked = 0;
  for (const [index, { before, after, ...window }] of conversions.entries()) {
    looked += before.length + after.length;
    if (looked > mostLookedAt) return { counts, isComplete: false };
    const conversion = { ...window, value: whole };
    const [then, now] = [attribute(conversion, before), attribute(conversion, after)];
    for (const model of attributionModelNames) {
      if (sharesOf(then, model) !== sharesOf(now, model)) counts[model] += 1;
    }
    if (index % 100 === 99) {
      await breathe();
      signal.throwIfAborted();
    }
  }
  return { counts, isComplete: true };
}

/** Divided in place of its value: also a conversion without money is credited to somebody. */
const whole = 10n ** 15n;

const sharesOf = ({ touches, credits }: ReturnType<typeof attribute>, model: AttributionModel): string =>
  JSON.stringify(
    touches.flatMap(({ touchId }, place) => (credits[model][place] ? [[touchId, `${credits[model][place]}`]] : [])),
  );
