export type { Ad, AdSet, Campaign, Creative, Entity, Tagging, Truth } from './market/ads.ts';
export { asRequests, type MarketRequest } from './market/as-requests.ts';
export {
  Book,
  type BookedConversion,
  conversionsOf,
  definitions,
  type Totals,
  type TrueEffect,
  touchesOf,
} from './market/book.ts';
export type { DeliveryRow } from './market/delivery.ts';
export { entityId, type Level, levels, type Platform } from './market/entity-id.ts';
export { fillDelivery } from './market/fill-delivery.ts';
export { type FillEngines, type Filled, type FillOptions, fillFast } from './market/fill-fast.ts';
export { household, households } from './market/household.ts';
export { type Market, type MarketOptions, openMarket } from './market/market.ts';
export type { Browser, Cause, Customer, Exposure, Household, Money, Outcome, Person, Touch } from './market/person.ts';
export { ReportBook, type ReportCell } from './market/reports.ts';
