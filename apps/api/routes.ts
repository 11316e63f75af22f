import type { RouteId, Routes } from '@tributary/contract';
import * as access from '@tributary/domain/access';
import * as attribution from '@tributary/domain/attribution';
import * as campaigns from '@tributary/domain/campaigns';
import * as customers from '@tributary/domain/customers';
import * as definitions from '@tributary/domain/definitions';
import * as erasures from '@tributary/domain/erasures';
import * as journeys from '@tributary/domain/journeys';
import * as linkTokens from '@tributary/domain/link-tokens';
import * as outcomes from '@tributary/domain/outcomes';
import * as reports from '@tributary/domain/reports';
import * as topPerformers from '@tributary/domain/top-performers';
import * as tracking from '@tributary/domain/tracking';
import type { Handles } from '@tributary/operations';
import { readChangelog, readOpenapi } from './self.ts';
import type { Services } from './services.ts';

/** Every declared route and its handler. A route without one does not compile. */
export const handlers: { readonly [Id in RouteId]: Handles<Routes[Id], Services> } = {
  readOpenapi,
  readChangelog,
  createWorkspace: access.createWorkspace,
  deleteWorkspace: access.deleteWorkspace,
  createProfile: access.createProfile,
  readProfile: access.readProfile,
  deleteProfile: access.deleteProfile,
  updateEntitlement: access.updateEntitlement,
  updateGrant: access.updateGrant,
  createKey: access.createKey,
  listKeys: access.listKeys,
  deleteKey: access.deleteKey,
  createToken: access.createToken,
  readPiiAccessLog: access.readPiiAccessLog,
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
  signIn: access.signIn,
  signOut: access.signOut,
  readAccount: access.readAccount,
  updatePassword: access.updatePassword,
  listAssistants: access.listAssistants,
  deleteAssistant: access.deleteAssistant,
  listMembers: access.listMembers,
  updateMember: access.updateMember,
  deleteMember: access.deleteMember,
  createInvitation: access.createInvitation,
  listInvitations: access.listInvitations,
  deleteInvitation: access.deleteInvitation,
  acceptInvitation: access.acceptInvitation,
  createEvent: outcomes.createEvent,
  createGoalDefinition: definitions.createGoalDefinition,
  listGoalDefinitions: definitions.listGoalDefinitions,
  createGoal: definitions.createGoal,
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
  createTrackingKey: tracking.createTrackingKey,
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
};
