/** Ids that the probe cannot test, because one valid request does not reveal their owner, and the tests that cover them instead. */
export const provenElsewhere: Readonly<Record<string, readonly string[]>> = {
  // Only removes a customer from the search results.
  searchCustomers: ['exclude'],
  // A valid request needs a store, an export target or an app key. Tests of the modules use the ids of another tenant.
  deleteManualStore: ['connectionId'],
  updateManualStore: ['connectionId'],
  previewExports: ['connection_id'],
  // Not covered by the probe since `connection_id` was added. domain/measurement/reports/accounts.test.ts and domain/advertising/connections/several-accounts.test.ts
  // cover `explain` and the stages with a foreign connection. No test covers the others, nor `entity_id` of `explain`.
  explain: ['entity_id', 'connection_id'],
  applyUrlTags: ['connection_id'],
  undoUrlTags: ['connection_id'],
  listStages: ['connection_id'],
  readOutcomesPrefill: ['connection_id'],
  listTrackedPages: ['connection_id'],
  selectTrackedPages: ['connection_id'],
  deleteConnection: ['id'],
  // Only a deleted workspace can be restored. domain/tenancy/tenants/restore-workspace.test.ts tests another owner.
  restoreWorkspace: ['id'],
  // A single source has no matches. domain/commerce/sales/sale-matches.test.ts tests another profile.
  listSaleMatches: ['source', 'other_source'],
  // Only a recipient can unsubscribe. The module's tests cover another member.
  leaveReportMail: ['id'],
};
