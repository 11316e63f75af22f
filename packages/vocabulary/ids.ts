import { namesOf } from './names-of.ts';

interface IdKindEntry {
  /** The owner of the id. An object of one profile is as inaccessible to sister profiles as to strangers. */
  readonly of: 'profile' | 'workspace' | 'person' | 'app';
}

/**
 * Kinds of ids that a request may contain. The test kit creates one of each, and the isolation probe sends each
 * owner's ids with the credentials of the others.
 */
export const idKinds = {
  profile: { of: 'profile' },
  workspace: { of: 'workspace' },
  customer: { of: 'profile' },
  merge: { of: 'profile' },
  merge_proposal: { of: 'profile' },
  reconciliation: { of: 'profile' },
  erasure: { of: 'profile' },
  customer_key: { of: 'profile' },
  conversion: { of: 'profile' },
  payment: { of: 'profile' },
  sale_match: { of: 'profile' },
  sale_batch: { of: 'profile' },
  sale_source: { of: 'profile' },
  outcome_definition: { of: 'profile' },
  goal_definition: { of: 'profile' },
  api_key: { of: 'profile' },
  shared_view: { of: 'profile' },
  report_mail: { of: 'profile' },
  saved_view: { of: 'profile' },
  app: { of: 'app' },
  invitation: { of: 'workspace' },
  member: { of: 'workspace' },
  assistant: { of: 'person' },
  session: { of: 'person' },
  passkey: { of: 'person' },
  tracking_key: { of: 'profile' },
  tracking_domain: { of: 'profile' },
  ad_entity: { of: 'profile' },
  ad: { of: 'profile' },
  platform_campaign: { of: 'profile' },
  platform_ad_set: { of: 'profile' },
  platform_ad: { of: 'profile' },
  connection: { of: 'profile' },
  webhook_subscription: { of: 'profile' },
  webhook_delivery: { of: 'profile' },
  handoff: { of: 'profile' },
  experiment: { of: 'profile' },
} as const satisfies Record<string, IdKindEntry>;
export type IdKind = keyof typeof idKinds;
export const idKindNames = namesOf(idKinds);

/** The nil UUID: an unknown entity, or a cursor before the first id. */
export const nilUuid = '00000000-0000-0000-0000-000000000000';

/** A UUID in lower case, for use inside a longer pattern. */
export const uuidPattern = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const uuid = new RegExp(`^${uuidPattern}$`);
const uuidInAnyCase = new RegExp(`^${uuidPattern}$`, 'i');

/** Whether a text is a UUID in the form that this service writes: lower case. */
export const isUuid = (text: string): boolean => uuid.test(text);

/** Whether a text is a UUID in upper or lower case. */
export const isUuidInAnyCase = (text: string): boolean => uuidInAnyCase.test(text);

/**
 * The ledger server that every installation has. It stores accounts, sessions, assistants, the service's own keys and
 * everything without an owner, and the workspaces that were not created on another shard.
 */
export const homeShard = 'home';
