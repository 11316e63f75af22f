export {
  type ActableEntity,
  type AdSetBudget,
  countActiveAds,
  findActable,
  listActiveAds,
  listAdSetBudgets,
  listRecentSpend,
} from './editable-entity.ts';
export { findAds, findEntitiesOfLevel, findEntityByExternalId, findNames, type StoredAd } from './find-entities.ts';
export { findLineages, type Lineage } from './lineage.ts';
export { type RecordAdsResult, recordAds } from './record-ads.ts';
export { findDeliveryWait, listLateDelivery } from './store.ts';
export { listTaggableAds, type TaggableAd } from './taggable-ads.ts';
