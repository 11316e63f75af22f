import type { RouteId, Routes } from '@tributary/contract';
import * as accountability from '@tributary/domain/accountability/room.ts';
import * as accounts from '@tributary/domain/accounts/room.ts';
import * as adOperations from '@tributary/domain/ad-operations/room.ts';
import * as attribution from '@tributary/domain/attribution/room.ts';
import * as campaigns from '@tributary/domain/campaigns/room.ts';
import * as connections from '@tributary/domain/connections/room.ts';
import * as creatives from '@tributary/domain/creatives/room.ts';
import * as credentials from '@tributary/domain/credentials/room.ts';
import * as customers from '@tributary/domain/customers/room.ts';
import * as definitions from '@tributary/domain/definitions/room.ts';
import * as erasures from '@tributary/domain/erasures/room.ts';
import * as exportsRoom from '@tributary/domain/exports/room.ts';
import * as handoffs from '@tributary/domain/handoffs/room.ts';
import * as journeys from '@tributary/domain/journeys/room.ts';
import * as linkTokens from '@tributary/domain/link-tokens/room.ts';
import * as outcomes from '@tributary/domain/outcomes/room.ts';
import * as partners from '@tributary/domain/partners/room.ts';
import * as payments from '@tributary/domain/payments/room.ts';
import * as reports from '@tributary/domain/reports/room.ts';
import * as tenants from '@tributary/domain/tenants/room.ts';
import * as topPerformers from '@tributary/domain/top-performers/room.ts';
import * as tracking from '@tributary/domain/tracking/room.ts';
import * as webhooks from '@tributary/domain/webhooks/room.ts';
import type { Handles } from '@tributary/operations';
import { readChangelog, readOpenapi } from './self.ts';
import type { Services } from './services.ts';

/** Every declared route and its handler. A route without one does not compile. */
export const handlers: { readonly [Id in RouteId]: Handles<Routes[Id], Services> } = {
  readOpenapi,
  readChangelog,
  createWorkspace: tenants.createWorkspace,
  deleteWorkspace: tenants.deleteWorkspace,
  createProfile: tenants.createProfile,
  readProfile: tenants.readProfile,
  deleteProfile: tenants.deleteProfile,
  updateEntitlement: tenants.updateEntitlement,
  updatePrivacy: tenants.updatePrivacy,
  updateGrant: credentials.updateGrant,
  createKey: credentials.createKey,
  listKeys: credentials.listKeys,
  deleteKey: credentials.deleteKey,
  createToken: credentials.createToken,
  readPiiAccessLog: accountability.readPiiAccessLog,
  importCustomers: customers.importCustomers,
  searchCustomers: customers.searchCustomers,
  listCustomers: customers.listCustomers,
  createLinkTokens: linkTokens.createLinkTokens,
  createErasure: erasures.createErasure,
  readErasure: erasures.readErasure,
  createCustomerErasure: erasures.createCustomerErasure,
  readCustomerJourney: journeys.readCustomerJourney,
  readJourneyByKey: journeys.readJourneyByKey,
  readConversionJourney: journeys.readConversionJourney,
  readJourneySummary: journeys.readJourneySummary,
  createJourneySummary: journeys.createJourneySummary,
  readCustomerExport: journeys.readCustomerExport,
  signIn: accounts.signIn,
  completeSignIn: accounts.completeSignIn,
  createTwoFactor: accounts.createTwoFactor,
  confirmTwoFactor: accounts.confirmTwoFactor,
  disableTwoFactor: accounts.disableTwoFactor,
  beginPasskeySignIn: accounts.beginPasskeySignIn,
  signInWithPasskey: accounts.signInWithPasskey,
  beginPasskey: accounts.beginPasskey,
  createPasskey: accounts.createPasskey,
  listPasskeys: accounts.listPasskeys,
  deletePasskey: accounts.deletePasskey,
  listSessions: accounts.listSessions,
  deleteSession: accounts.deleteSession,
  signOut: accounts.signOut,
  readAccount: accounts.readAccount,
  updatePassword: accounts.updatePassword,
  listAssistants: accounts.listAssistants,
  deleteAssistant: accounts.deleteAssistant,
  listMembers: accounts.listMembers,
  updateMember: accounts.updateMember,
  deleteMember: accounts.deleteMember,
  createInvitation: accounts.createInvitation,
  listInvitations: accounts.listInvitations,
  deleteInvitation: accounts.deleteInvitation,
  acceptInvitation: accounts.acceptInvitation,
  createEvent: outcomes.createEvent,
  createGoalDefinition: definitions.createGoalDefinition,
  listGoalDefinitions: definitions.listGoalDefinitions,
  updateOutcomeDefinition: definitions.updateOutcomeDefinition,
  updateOutcomeDefinitions: definitions.updateOutcomeDefinitions,
  createGoal: definitions.createGoal,
  listPayments: payments.listPayments,
  readPayment: payments.readPayment,
  updateInstallment: payments.updateInstallment,
  updatePayer: payments.updatePayer,
  createPaymentRefund: payments.createPaymentRefund,
  deletePaymentRefund: payments.deletePaymentRefund,
  createCardpayPayment: payments.createCardpayPayment,
  updateExportCatalog: exportsRoom.updateExportCatalog,
  updateExportDataset: exportsRoom.updateExportDataset,
  listExports: exportsRoom.listExports,
  previewExports: exportsRoom.previewExports,
  createDeclaredSource: partners.createDeclaredSource,
  createAdReferrals: partners.createAdReferrals,
  previewAdReferrals: partners.previewAdReferrals,
  importSpend: campaigns.importSpend,
  listCampaigns: reports.listCampaigns,
  readUnattributed: reports.readUnattributed,
  readCampaignTrend: reports.readCampaignTrend,
  readOverview: reports.readOverview,
  readAd: reports.readAd,
  readPlatformComparison: reports.readPlatformComparison,
  listCampaignConversions: reports.listCampaignConversions,
  explain: reports.explain,
  listTopPerformers: topPerformers.listTopPerformers,
  listAdsWithoutIds: adOperations.listAdsWithoutIds,
  createCreativeAnalysis: creatives.createCreativeAnalysis,
  readCreativeAnalysis: creatives.readCreativeAnalysis,
  createTrackingKey: tracking.createTrackingKey,
  createIdentifySecret: tracking.createIdentifySecret,
  listTrackingKeys: tracking.listTrackingKeys,
  deleteTrackingKey: tracking.deleteTrackingKey,
  readTrackingSnippet: tracking.readTrackingSnippet,
  readGtmInstaller: tracking.readGtmInstaller,
  readShopifyPixelInstaller: tracking.readShopifyPixelInstaller,
  readStorePixelInstaller: tracking.readStorePixelInstaller,
  readTrackingOrigin: tracking.readTrackingOrigin,
  listTrackingDomains: tracking.listTrackingDomains,
  createTrackingDomain: tracking.createTrackingDomain,
  deleteTrackingDomain: tracking.deleteTrackingDomain,
  verifyTrackingDomain: tracking.verifyTrackingDomain,
  readTrackingSettings: tracking.readTrackingSettings,
  updateTrackingSettings: tracking.updateTrackingSettings,
  readTrackingVerification: tracking.readTrackingVerification,
  createTrackingVerification: tracking.createTrackingVerification,
  listTrackingEvents: tracking.listTrackingEvents,
  readTrackingOps: tracking.readTrackingOps,
  readTrackingQuality: tracking.readTrackingQuality,
  readReplayStatus: attribution.readReplayStatus,
  listConnections: connections.listConnections,
  readConnection: connections.readConnection,
  listWebhookSubscriptions: webhooks.listWebhookSubscriptions,
  createWebhookSubscription: webhooks.createWebhookSubscription,
  updateWebhookSubscription: webhooks.updateWebhookSubscription,
  deleteWebhookSubscription: webhooks.deleteWebhookSubscription,
  rotateWebhookSecret: webhooks.rotateWebhookSecret,
  testWebhookSubscription: webhooks.testWebhookSubscription,
  listWebhookDeliveries: webhooks.listWebhookDeliveries,
  replayWebhookDelivery: webhooks.replayWebhookDelivery,
  listRecordedOutcomes: webhooks.listRecordedOutcomes,
  createHandoff: handoffs.createHandoff,
  readHandoff: handoffs.readHandoff,
};
