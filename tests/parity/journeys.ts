import { type Conversion, declaredMedium, type AttributedTouch as Touch } from '@tributary/rules';
import { dayMs, limits } from '@tributary/vocabulary';
import fc from 'fast-check';

/** Random customers with touches and conversions that exercise edge cases of attribution. */

export interface Journey {
  readonly personId: string;
  /** By browser; a customer may have several. */
  readonly browsers: readonly (readonly Touch[])[];
  /** Touches reported with conversions. */
  readonly origins: readonly Touch[];
  readonly conversions: readonly (Conversion & { readonly conversionId: string })[];
}

export const epoch = Date.UTC(2026, 0, 1);

const uuid = fc.uuid({ version: [4, 5, 7, 8] });
const entity = fc.option(
  fc.integer({ min: 1, max: 9 }).map((number) => `00000000-0000-5000-8000-00000000000${number}`),
);
// Few times and sessions, so that ties and repeats are frequent; whole minutes and odd milliseconds around the half-lives.
const moment = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 400 * dayMs }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 57 }).map((week) => week * 7 * dayMs) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 59_999, 60_000, 7 * dayMs - 1, 400 * dayMs) },
);
const clickMarks = ['18446744073709551615', '7', '8'];
const click: fc.Arbitrary<Pick<Touch, 'clickKind' | 'clickMark'>> = fc.record(
  { clickKind: fc.constantFrom('gclid', 'fbclid'), clickMark: fc.constantFrom(...clickMarks) },
  { requiredKeys: [] },
);
const touch: fc.Arbitrary<Touch> = fc
  .record({
    touchId: uuid,
    at: moment.map((after) => epoch + after),
    sessionId: fc.option(
      fc.integer({ min: 1, max: 6 }).map((number) => `00000000-0000-7000-8000-00000000000${number}`),
    ),
    channel: fc.constantFrom('direct', 'direct', 'paid_social', 'organic_search', 'email'),
    source: fc.constantFrom('direct', 'facebook', 'google'),
    medium: fc.constantFrom('', 'paid'),
    platform: fc.constantFrom('', 'social_ads'),
    campaignId: entity,
    adSetId: entity,
    adId: entity,
  })
  .chain((one) => click.map((by) => ({ ...one, ...by })));

const synthetic = (reported: Touch): Touch => ({
  ...reported,
  sessionId: null,
  campaignId: null,
  adSetId: null,
  isSynthetic: true,
});

/** A touch declared by the customer: a source, without ad and click. */
const declared = ({ clickKind: _kind, clickMark: _mark, ...reported }: Touch): Touch => ({
  ...synthetic(reported),
  adId: null,
  medium: declaredMedium,
});

const value = fc.oneof(
  fc.bigInt({ min: 0n, max: 100_000n }),
  fc.bigInt({ min: 0n, max: 10n ** 15n }),
  fc.bigInt({ min: -100_000n, max: 0n }),
  fc.constantFrom(0n, 1n, 2n, 3n, 99n, 100n, 10_001n),
);

/** Some touches are duplicated, as after a redelivery before parts merge. */
const touches = (most: number) =>
  fc
    .tuple(fc.array(touch, { maxLength: most, size: 'max' }), fc.array(fc.nat(), { maxLength: 3 }))
    .map(([once, again]) => [
      ...once,
      ...again.flatMap((at) => (once.length > 0 ? [once[at % once.length] as Touch] : [])),
    ]);

/** Moves some reported touches to the time of a visit or about half an hour after it, where the same-click rule ends. */
const nearVisits = (journey: Journey, shifts: readonly (number | undefined)[]): Journey => {
  const visits = journey.browsers.flat();
  const origins = journey.origins.map((reported, index) => {
    const shift = shifts[index];
    const visit = visits[index % visits.length];
    return shift === undefined || visit === undefined ? reported : { ...reported, at: visit.at + shift };
  });
  return { ...journey, origins };
};
const halfHour = limits.sameClick.minutes * 60_000;
const shifts = fc.array(fc.option(fc.constantFrom(-1, 0, 1, halfHour, halfHour + 1), { nil: undefined }), {
  maxLength: 4,
});

export const journeys = (mostTouches = 12): fc.Arbitrary<Journey> =>
  fc.tuple(people(mostTouches), shifts).map(([journey, by]) => nearVisits(journey, by));

const people = (mostTouches: number): fc.Arbitrary<Journey> =>
  fc.record({
    personId: uuid,
    // Some customers were never seen on the site.
    browsers: fc.array(touches(mostTouches), { minLength: 0, maxLength: 3 }),
    origins: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.array(fc.oneof(touch.map(synthetic), touch.map(declared)), { maxLength: 4 }) },
    ),
    conversions: fc.array(
      fc.record({
        conversionId: uuid,
        at: moment.map((after) => epoch + after),
        lookbackDays: fc.oneof(fc.constantFrom(1, 7, 30, 90, 365), fc.integer({ min: 1, max: 365 })),
        value,
      }),
      { minLength: 1, maxLength: 3 },
    ),
  });
