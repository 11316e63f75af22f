export { listAdsWithoutIds } from './list-ads-without-ids.ts';
