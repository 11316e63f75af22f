import type { Route } from './route.ts';
import { accountLinkRoutes } from './routes/account-links.ts';
import { deleteAssistant, listAssistants, readAccount, signIn, signOut, updatePassword } from './routes/accounts.ts';
import { adRoutes } from './routes/ad-routes.ts';
import { readAdvice } from './routes/advice.ts';
import { alertRoutes } from './routes/alerts.ts';
import { closingRoutes } from './routes/closings.ts';
import { collectVisits, readTracker } from './routes/collector.ts';
import { connectionRoutes } from './routes/connection-routes.ts';
import { createCreativeAnalysis, readCreativeAnalysis, readCreativePicture } from './routes/creatives.ts';
import {
  createKey,
  createToken,
  deleteKey,
  listKeys,
  readAuditLog,
  readPiiAccessLog,
  updateGrant,
} from './routes/credentials.ts';
import { readCustomerExport } from './routes/customer-export.ts';
import { importCustomers, listCustomers, searchCustomers } from './routes/customers.ts';
import { deletedWorkspaceRoutes } from './routes/deleted-workspaces.ts';
import { createCustomerErasure, createErasure, listErasures, readErasure } from './routes/erasures.ts';
import {
  createExperiment,
  listExperiments,
  readExperiment,
  startExperiment,
  stopExperiment,
  voidExperiment,
} from './routes/experiments.ts';
import { exportRoutes } from './routes/exports.ts';
import { goalRoutes } from './routes/goals.ts';
import { createHandoff, finalizePendingAccount, listPendingAccounts, readHandoff } from './routes/handoffs.ts';
import { identityRoutes } from './routes/identity.ts';
import {
  activateWebPixel,
  connectBankLink,
  createManualStore,
  deleteManualStore,
  listManualStores,
  readChatbotConnection,
  saveChatbotConnection,
  startBankLink,
  updateManualStore,
} from './routes/integrations.ts';
import {
  createJourneySummary,
  readConversionJourney,
  readCustomerJourney,
  readJourneyByKey,
  readJourneySummary,
} from './routes/journeys.ts';
import { createLinkTokens } from './routes/link-tokens.ts';
import { deleteMember, listCreatedByMember, listMembers, updateMember } from './routes/members.ts';
import { createModelFit, listModelCampaigns, readModels, sayTactic } from './routes/models.ts';
import { updateOutcomeDefinition, updateOutcomeDefinitions } from './routes/outcome-definitions.ts';
import { createEvent, createGoal, createGoalDefinition, listGoalDefinitions } from './routes/outcomes.ts';
import { createAdReferrals, createDeclaredSource, previewAdReferrals } from './routes/partners.ts';
import {
  beginPasskey,
  beginPasskeySignIn,
  createPasskey,
  deletePasskey,
  listPasskeys,
  signInWithPasskey,
} from './routes/passkeys.ts';
import {
  createCardpayPayment,
  createPaymentRefund,
  deletePaymentRefund,
  listPayments,
  readPayment,
  updateInstallment,
  updatePayer,
} from './routes/payments.ts';
import { reconciliationRoutes } from './routes/reconciliations.ts';
import { reportMailRoutes } from './routes/report-mails.ts';
import { reportRoutes } from './routes/reports.ts';
import { saleRoutes } from './routes/sales.ts';
import { savedViewRoutes } from './routes/saved-views.ts';
import { readChangelog, readOpenapi } from './routes/service.ts';
import { sharedViewRoutes } from './routes/shared-views.ts';
import {
  completeSignIn,
  confirmTwoFactor,
  createTwoFactor,
  deleteSession,
  disableTwoFactor,
  listSessions,
} from './routes/sign-in.ts';
import { importSpend } from './routes/spend.ts';
import { listTopPerformers, rankTopPerformers } from './routes/top-performers.ts';
import {
  createIdentifySecret,
  createTrackingDomain,
  createTrackingKey,
  deleteTrackingDomain,
  deleteTrackingKey,
  listTrackingDomains,
  listTrackingKeys,
  readGtmInstaller,
  readShopifyPixelInstaller,
  readStorePixelInstaller,
  readTrackingOrigin,
  readTrackingSettings,
  readTrackingSnippet,
  updateTrackingSettings,
  verifyTrackingDomain,
} from './routes/tracking.ts';
import {
  createTrackingVerification,
  listTrackingEvents,
  readReplayStatus,
  readTrackingOps,
  readTrackingQuality,
  readTrackingVerification,
} from './routes/tracking-health.ts';
import {
  createWebhookSubscription,
  deleteWebhookSubscription,
  listRecordedOutcomes,
  listWebhookDeliveries,
  listWebhookSubscriptions,
  replayWebhookDelivery,
  rotateWebhookSecret,
  testWebhookSubscription,
  updateWebhookSubscription,
} from './routes/webhooks.ts';
import {
  createProfile,
  createWorkspace,
  deleteProfile,
  deleteWorkspace,
  readProfile,
  updateEntitlement,
  updatePrivacy,
  updateProfile,
  workspaceProfileRoutes,
} from './routes/workspaces.ts';

/** Every route of the API, by operation id. apps/api maps each to its handler and does not compile while one is missing. */
export const routes = {
  readOpenapi,
  readChangelog,
  createWorkspace,
  deleteWorkspace,
  createProfile,
  readProfile,
  deleteProfile,
  ...workspaceProfileRoutes,
  updateEntitlement,
  updatePrivacy,
  updateProfile,
  updateGrant,
  createKey,
  listKeys,
  deleteKey,
  ...sharedViewRoutes,
  ...deletedWorkspaceRoutes,
  ...savedViewRoutes,
  ...reportMailRoutes,
  ...alertRoutes,
  createToken,
  readPiiAccessLog,
  readAuditLog,
  importCustomers,
  searchCustomers,
  listCustomers,
  createLinkTokens,
  createErasure,
  readErasure,
  listErasures,
  createCustomerErasure,
  readCustomerJourney,
  readJourneyByKey,
  readConversionJourney,
  readJourneySummary,
  createJourneySummary,
  readCustomerExport,
  ...identityRoutes,
  createEvent,
  createGoalDefinition,
  listGoalDefinitions,
  ...goalRoutes,
  createGoal,
  updateOutcomeDefinition,
  updateOutcomeDefinitions,
  listPayments,
  readPayment,
  updateInstallment,
  updatePayer,
  createPaymentRefund,
  deletePaymentRefund,
  createCardpayPayment,
  ...saleRoutes,
  ...exportRoutes,
  createDeclaredSource,
  createAdReferrals,
  previewAdReferrals,
  importSpend,
  ...reportRoutes,
  ...reconciliationRoutes,
  ...closingRoutes,
  createExperiment,
  listExperiments,
  readExperiment,
  startExperiment,
  stopExperiment,
  voidExperiment,
  readModels,
  createModelFit,
  listModelCampaigns,
  sayTactic,
  readAdvice,
  listTopPerformers,
  ...adRoutes,
  createCreativeAnalysis,
  readCreativeAnalysis,
  readCreativePicture,
  signIn,
  completeSignIn,
  createTwoFactor,
  confirmTwoFactor,
  disableTwoFactor,
  beginPasskeySignIn,
  signInWithPasskey,
  beginPasskey,
  createPasskey,
  listPasskeys,
  deletePasskey,
  listSessions,
  deleteSession,
  signOut,
  readAccount,
  updatePassword,
  listAssistants,
  deleteAssistant,
  listMembers,
  updateMember,
  listCreatedByMember,
  deleteMember,
  ...accountLinkRoutes,
  createTrackingKey,
  createIdentifySecret,
  listTrackingKeys,
  deleteTrackingKey,
  readTrackingSnippet,
  readGtmInstaller,
  readShopifyPixelInstaller,
  readStorePixelInstaller,
  readTrackingOrigin,
  listTrackingDomains,
  createTrackingDomain,
  deleteTrackingDomain,
  verifyTrackingDomain,
  readTrackingSettings,
  updateTrackingSettings,
  readTrackingVerification,
  createTrackingVerification,
  listTrackingEvents,
  readTrackingOps,
  readTrackingQuality,
  readReplayStatus,
  ...connectionRoutes,
  activateWebPixel,
  connectBankLink,
  createManualStore,
  deleteManualStore,
  listManualStores,
  readChatbotConnection,
  saveChatbotConnection,
  startBankLink,
  updateManualStore,
  listWebhookSubscriptions,
  createWebhookSubscription,
  updateWebhookSubscription,
  deleteWebhookSubscription,
  rotateWebhookSecret,
  testWebhookSubscription,
  listWebhookDeliveries,
  replayWebhookDelivery,
  listRecordedOutcomes,
  createHandoff,
  readHandoff,
  listPendingAccounts,
  finalizePendingAccount,
} satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteId = keyof Routes;

/** Routes for browsers, served by apps/collector. */
export const collectorRoutes = { collectVisits, readTracker } satisfies Record<string, Route>;

/** Operations that only the MCP server offers; they have no HTTP path. */
export const assistantRoutes = { rankTopPerformers } satisfies Record<string, Route>;
export type AssistantRoutes = typeof assistantRoutes;
