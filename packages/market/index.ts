export type { Ad, AdSet, Campaign, Creative, Entity, Tagging, Truth } from './ads.ts';
export type { Arrival } from './arrivals.ts';
export { asRequests, type MarketRequest } from './as-requests.ts';
export {
  Book,
  type BookedConversion,
  conversionsOf,
  definitions,
  type Totals,
  type TrueEffect,
  touchesOf,
} from './book.ts';
export type { DeliveryRow } from './delivery.ts';
export { campaignCount, costOf, demandCampaigns, direct, sourceCount } from './demand/campaigns.ts';
export { type Observed, observe } from './demand/observe.ts';
export { type Change, type Lived, live } from './demand/simulate.ts';
export { causedBy, truthOf } from './demand/truth.ts';
export {
  type DemandMarket,
  type DemandOptions,
  type Nature,
  openDemandMarket,
  randomNature,
  usualNature,
} from './demand/world.ts';
export { entityId, type Platform } from './entity-id.ts';
export { household, households } from './household.ts';
export { isLate } from './lateness.ts';
export { type Market, type MarketOptions, openMarket } from './market.ts';
export type { Browser, Cause, Customer, Exposure, Household, Money, Outcome, Person, Touch } from './person.ts';
export { ReportBook, type ReportCell } from './reports.ts';
export { createDice } from './seeded-random.ts';
