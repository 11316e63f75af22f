import type { DeliveryRow } from '@tributary/market';

/** Days whose spend an ad platform restated: the percentage of the amount reported first, by ad and day. */
export type Restated = ReadonlyMap<string, number>;

export const restatedKey = (adExternalId: string, day: string): string => `${adExternalId} ${day}`;

/** The spend of a row in minor units, as the platform currently reports it. */
export const restatedSpend = (restated: Restated, { entity, day, spend }: DeliveryRow): bigint =>
  (spend * BigInt(restated.get(restatedKey(entity.externalId, day)) ?? 100)) / 100n;
