import { namesOf } from './names-of.ts';

/** The least private first. */
export const privacyModes = ['standard', 'platform_safe', 'hipaa'] as const;
export type PrivacyMode = (typeof privacyModes)[number];

interface IdentifierKindEntry {
  /** A strong identifier belongs to one person. A weak one is shared in families and offices. */
  readonly strength: 'strong' | 'weak';
  /** 1 is the strongest: it wins where identifiers disagree. */
  readonly rank: number;
  /** Whether it is a valid `identifier_type`; the other kinds have fields of their own. */
  readonly isType: boolean;
  /** A value chosen by the caller, without a format that could be checked. */
  readonly isOpaque: boolean;
}

/** All kinds of identifier of a customer. */
export const identifierKinds = {
  external_customer_id: { strength: 'strong', rank: 1, isType: true, isOpaque: true },
  crm_contact_id: { strength: 'strong', rank: 3, isType: true, isOpaque: true },
  store_customer_id: { strength: 'strong', rank: 4, isType: true, isOpaque: true },
  payments_customer_id: { strength: 'strong', rank: 5, isType: true, isOpaque: true },
  national_id: { strength: 'strong', rank: 2, isType: true, isOpaque: false },
  email: { strength: 'strong', rank: 6, isType: false, isOpaque: false },
  phone: { strength: 'weak', rank: 7, isType: false, isOpaque: false },
  wa_id: { strength: 'weak', rank: 8, isType: false, isOpaque: false },
} as const satisfies Record<string, IdentifierKindEntry>;

type Kinds = typeof identifierKinds;
export type IdentifierKind = keyof Kinds;
export const identifierKindNames = namesOf(identifierKinds);

/** The values of `identifier_type`. */
export type IdentifierType = {
  [Kind in IdentifierKind]: Kinds[Kind]['isType'] extends true ? Kind : never;
}[IdentifierKind];
export const identifierTypes = identifierKindNames.filter(
  (kind): kind is IdentifierType => identifierKinds[kind].isType,
);

export const opaqueIdentifierKinds = identifierKindNames.filter((kind) => identifierKinds[kind].isOpaque);

/** From the strongest to the weakest. */
const byRank = identifierKindNames.toSorted((a, b) => identifierKinds[a].rank - identifierKinds[b].rank);
export const strongIdentifierKinds = byRank.filter((kind) => identifierKinds[kind].strength === 'strong');
export const weakIdentifierKinds = byRank.filter((kind) => identifierKinds[kind].strength === 'weak');

/** How a browser was linked to a customer. */
export const visitorLinkSources = ['identify', 'link_token', 'event', 'ad_referral', 'declared_source'] as const;
export type VisitorLinkSource = (typeof visitorLinkSources)[number];

/**
 * Why an import row was rejected. The unparseable ones also appear as warnings on rows that had another valid
 * identifier.
 */
export const unparseableIdentifiers = ['unparseable_phone', 'unparseable_email', 'unparseable_national_id'] as const;
export type UnparseableIdentifier = (typeof unparseableIdentifiers)[number];
export const importRejections = [...unparseableIdentifiers, 'no_identifier', 'malformed_row'] as const;
export type ImportRejection = (typeof importRejections)[number];
export const importStatuses = ['created', 'matched', 'rejected'] as const;
export type ImportStatus = (typeof importStatuses)[number];

/** The URL parameter with the token that identifies the recipient of a link. */
export const linkTokenParameter = 'svc_t';
/** The URL parameter that identifies the verification of an installation. */
export const verificationParameter = 'svc_v';

export const linkTokenStatuses = ['minted', 'not_found', 'invalid'] as const;
export type LinkTokenStatus = (typeof linkTokenStatuses)[number];
/** Reasons why a row is invalid on its own. */
export const invalidSelectors = ['no_selector', 'unknown_identifier_type', 'malformed_selector'] as const;
export type InvalidSelector = (typeof invalidSelectors)[number];
/** Why a row got no token. */
export const linkTokenRefusals = ['no_match', 'erased', ...invalidSelectors] as const;
export type LinkTokenRefusal = (typeof linkTokenRefusals)[number];
export const linkTokenChannels = ['email', 'sms', 'whatsapp', 'crm'] as const;
export type LinkTokenChannel = (typeof linkTokenChannels)[number];

/** The state of a proposed merge of two keyed customers. */
export const proposalStates = ['open', 'confirmed', 'rejected'] as const;
export type ProposalState = (typeof proposalStates)[number];

export const erasureStatuses = ['queued', 'done'] as const;
export type ErasureStatus = (typeof erasureStatuses)[number];
export const erasureReasons = ['data_subject_request', 'account_closed', 'other'] as const;
export type ErasureReason = (typeof erasureReasons)[number];

/** Where an event of a person is stored, in the export of all their data. */
export const eventStores = ['visit', 'touch', 'outcome'] as const;
export type EventStore = (typeof eventStores)[number];
