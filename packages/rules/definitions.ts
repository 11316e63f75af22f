import {
  type ConversionType,
  conversionTypeNames,
  conversionTypes,
  limits,
  type RevenueType,
} from '@tributary/vocabulary';

/**
 * The meaning of events. Callers choose event names freely; a profile's definitions map them to conversions, and
 * decide whether their money counts as cash and whether they are attributed. An event without a definition is stored,
 * and counts when one is added.
 */

export interface Definition {
  /** The `conversion_key`: unique in its profile, and unchanged when the definition is edited. */
  readonly key: string;
  /** One of the standard types, or the definition's own key. Reports group by it. */
  readonly conversionType: string;
  readonly eventNames: readonly string[];
  readonly countsAsCash: boolean;
  readonly isAttributionEligible: boolean;
  readonly lookbackWindowDays: number;
  /** The default when a request names no definition. */
  readonly isDefault: boolean;
}

const lookbackDays = limits.lookback.days;

/**
 * The definitions of a new profile: each standard type, under its own name only. Names like `purchase` are left free:
 * some businesses use it for the order and others for the payment, and a name used here would have to be removed
 * first.
 */
export const initialDefinitions: readonly Definition[] = conversionTypeNames.map((type) => ({
  key: type,
  conversionType: type,
  eventNames: [type],
  countsAsCash: conversionTypes[type].revenueType === 'cash',
  isAttributionEligible: true,
  lookbackWindowDays: lookbackDays.default,
  isDefault: type === 'payment_received',
}));

/** The definition decides, not its type: a shop that is paid at once may count its orders as cash. */
export function revenueType(definition: Pick<Definition, 'conversionType' | 'countsAsCash'>): RevenueType {
  if (definition.countsAsCash) return 'cash';
  // A cash type that the definition does not count as cash is pipeline until it is paid.
  const standardType = isStandard(definition.conversionType)
    ? conversionTypes[definition.conversionType].revenueType
    : 'pipeline';
  return standardType === 'cash' ? 'pipeline' : standardType;
}

const isStandard = (type: string): type is ConversionType => Object.hasOwn(conversionTypes, type);

/**
 * Normalises an event name: `Lead Created ` and `lead created` must not become two conversions, or one that is never
 * counted.
 */
export const eventNameKey = (name: string): string => name.toLowerCase().normalize('NFC').trim().replace(/\s+/g, ' ');

export interface NamedEvent {
  readonly eventName: string;
  readonly eventType: string;
}

/**
 * Finds the definition of an event among those of one profile. The event name is more specific and is looked up
 * first; the type is used for names that no definition lists.
 */
export function definitionFinder<D extends Pick<Definition, 'eventNames'>>(
  definitions: readonly D[],
): (event: NamedEvent) => D | undefined {
  const byName = new Map<string, D>();
  for (const definition of definitions) {
    for (const name of definition.eventNames.map(eventNameKey)) {
      const other = byName.get(name) ?? definition;
      if (other !== definition) throw new RangeError(`Two definitions of one profile list the event ${name}.`);
      byName.set(name, definition);
    }
  }
  return ({ eventName, eventType }) => byName.get(eventNameKey(eventName)) ?? byName.get(eventNameKey(eventType));
}

export type DefinitionRefusal =
  | {
      readonly reason: 'malformed_key' | 'unknown_conversion_type' | 'no_event_name' | 'lookback_out_of_range';
      readonly field: keyof Definition;
    }
  | {
      readonly reason: 'event_name_taken';
      readonly field: 'eventNames';
      readonly eventName: string;
      /** The key of the definition that lists the name. */
      readonly takenBy: string;
    };
export type CheckedDefinition =
  | { readonly ok: true; readonly definition: Definition }
  | ({ readonly ok: false } & DefinitionRefusal);

const keyShape = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Validates a new definition, or a new version of the definition with the same key. Rejects an event name that
 * another definition lists: the same conversion would be counted twice, or by whichever definition is read first.
 */
export function checkDefinition(
  candidate: Definition,
  existing: readonly Pick<Definition, 'key' | 'eventNames'>[],
): CheckedDefinition {
  const { key, conversionType, lookbackWindowDays } = candidate;
  if (!keyShape.test(key)) return { ok: false, reason: 'malformed_key', field: 'key' };
  if (conversionType !== key && !isStandard(conversionType)) {
    return { ok: false, reason: 'unknown_conversion_type', field: 'conversionType' };
  }
  const isInRange = lookbackWindowDays >= lookbackDays.min && lookbackWindowDays <= lookbackDays.max;
  if (!Number.isInteger(lookbackWindowDays) || !isInRange) {
    return { ok: false, reason: 'lookback_out_of_range', field: 'lookbackWindowDays' };
  }
  const eventNames = [...new Set(candidate.eventNames.map(eventNameKey))];
  if (eventNames.length === 0 || eventNames.includes('')) {
    return { ok: false, reason: 'no_event_name', field: 'eventNames' };
  }
  const others = existing.filter((other) => other.key !== key);
  for (const eventName of eventNames) {
    const holder = others.find((other) => other.eventNames.map(eventNameKey).includes(eventName));
    if (holder) return { ok: false, reason: 'event_name_taken', field: 'eventNames', eventName, takenBy: holder.key };
  }
  return { ok: true, definition: { ...candidate, eventNames } };
}
