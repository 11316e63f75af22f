import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ResponseOf, Routes } from '@tributary/sdk';
import { accountClient, clientFor } from '../client.ts';

/** The API queries of the workspace pages. */

type Answer<Id extends keyof Routes> = ResponseOf<Routes[Id]>;
export type Access = Answer<'readPiiAccessLog'>['data'][number];
export type ApiKey = Answer<'listKeys'>['data'][number];
export type AuditEntry = Answer<'readAuditLog'>['data'][number];
export type AlertMail = Answer<'readAlertMail'>['data'];
export type Member = Answer<'listMembers'>['data'][number];
export type CreatedByMember = Answer<'listCreatedByMember'>['data'][number];
export type ReportMail = Answer<'listReportMails'>['data'][number];
export type SharedViewRow = Answer<'listSharedViews'>['data'][number];
export type Receipt = Answer<'listErasures'>['data'][number];
export type WorkspaceProfile = Answer<'listWorkspaceProfiles'>['data'][number];
export type WebhookSubscription = Answer<'listWebhookSubscriptions'>['data'][number];
export type WebhookDelivery = Answer<'listWebhookDeliveries'>['data'][number];

const next = ({ pagination }: { pagination: { has_next: boolean; cursor: string | null } }) =>
  pagination.has_next ? pagination.cursor : undefined;

export const accessLogQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['workspace', workspaceId, 'access log'],
    queryFn: ({ pageParam, signal }) =>
      accountClient.readPiiAccessLog({
        params: { workspaceId },
        query: pageParam ? { cursor: pageParam } : {},
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: next,
    staleTime: 0,
  });

export const auditLogQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['workspace', workspaceId, 'audit log'],
    queryFn: ({ pageParam, signal }) =>
      accountClient.readAuditLog({ params: { workspaceId }, query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: next,
    staleTime: 0,
  });

export const workspaceProfilesQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['workspace', workspaceId, 'profiles'],
    queryFn: ({ pageParam, signal }) =>
      accountClient.listWorkspaceProfiles({
        params: { workspaceId },
        query: { limit: 100, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: next,
    staleTime: 0,
  });

export const receiptsQuery = (profileId: string) =>
  infiniteQueryOptions({
    queryKey: [profileId, 'receipts'],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).listErasures({ query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: next,
    staleTime: 0,
  });

export const alertMailQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'alert mail'],
    queryFn: async ({ signal }) => (await clientFor(profileId).readAlertMail({ signal })).data,
  });

export const keysQuery = (profileId: string) =>
  infiniteQueryOptions({
    queryKey: [profileId, 'keys'],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).listKeys({ query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: next,
    staleTime: 0,
  });

export const sharedViewsQuery = (profileId: string) =>
  infiniteQueryOptions({
    queryKey: [profileId, 'shared views'],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).listSharedViews({ query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: next,
    staleTime: 0,
  });

const sendingEveryMs = 2_000;

export const reportMailsQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'report mails'],
    queryFn: ({ signal }) => clientFor(profileId).listReportMails({ signal }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ last }) => last && last.waiting > 0) ? sendingEveryMs : false,
  });

/** The content of a scheduled report, without its recipients. */
export type MailContent = Pick<ReportMail, 'page' | 'every' | 'model' | 'language'>;

export const mailPreviewQuery = (profileId: string, { page, every, model, language }: MailContent) =>
  queryOptions({
    queryKey: [profileId, 'report mail preview', page, every, model, language],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).previewReportMail({ query: { page, every, model, language }, signal })).data,
  });

export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'members'],
    queryFn: async ({ signal }) => (await accountClient.listMembers({ params: { workspaceId }, signal })).data,
  });

export const deletedWorkspacesQuery = queryOptions({
  queryKey: ['account', 'deleted workspaces'],
  queryFn: async ({ signal }) => (await accountClient.listDeletedWorkspaces({ signal })).data,
  staleTime: 0,
});

export const createdByMemberQuery = (workspaceId: string, userId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'created', userId],
    queryFn: ({ signal }) => accountClient.listCreatedByMember({ params: { workspaceId, userId }, signal }),
    staleTime: 0,
  });

export const invitationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'invitations'],
    queryFn: async ({ signal }) => (await accountClient.listInvitations({ params: { workspaceId }, signal })).data,
  });

export const webhooksQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'webhooks'],
    queryFn: async ({ signal }) => (await clientFor(profileId).listWebhookSubscriptions({ signal })).data,
  });

/** The latest page of deliveries to a subscription. */
export const deliveriesQuery = (profileId: string, subscriptionId: string) =>
  queryOptions({
    queryKey: [profileId, 'webhooks', subscriptionId],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).listWebhookDeliveries({ query: { subscription_id: subscriptionId }, signal })).data,
    refetchInterval: 5_000,
  });
