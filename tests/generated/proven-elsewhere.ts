/** Ids that change too little in an answer for one valid request to show whose they are, and where it is shown instead. */
export const provenElsewhere: Readonly<Record<string, readonly string[]>> = {
  // Leaves a customer out of what a search finds.
  searchCustomers: ['exclude'],
  // A valid request needs more than an id: a store, a target of exports, a key of the app. The tests of the rooms have a stranger's.
  deleteManualStore: ['connectionId'],
  updateManualStore: ['connectionId'],
  previewExports: ['connection_id'],
  // Not proven here since `connection_id` was added. domain/reports/accounts.test.ts and domain/connections/several-accounts.test.ts
  // cover `explain` and the stages with a foreign connection. No test covers the others, nor `entity_id` of `explain`.
  explain: ['entity_id', 'connection_id'],
  applyUrlTags: ['connection_id'],
  undoUrlTags: ['connection_id'],
  listStages: ['connection_id'],
  readOutcomesPrefill: ['connection_id'],
  listTrackedPages: ['connection_id'],
  selectTrackedPages: ['connection_id'],
  deleteConnection: ['id'],
  // Only a deleted workspace is restored; domain/tenants/restore-workspace.test.ts has another owner.
  restoreWorkspace: ['id'],
  // A single source has no matches to show; domain/sales/sale-matches.test.ts lists nothing of another profile.
  listSaleMatches: ['source', 'other_source'],
  // Only who gets the mail leaves it; the test of the room has somebody who does not.
  leaveReportMail: ['id'],
};
