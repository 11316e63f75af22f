import type { ActableEntity } from '@tributary/domain/advertising/campaigns';
import type { Account, Call, LiveEntity } from '@tributary/providers';
import type { AdActionKind } from '@tributary/vocabulary';
import type { AdState, Wanted } from './ad-state.ts';
import type { Target, TargetRequest } from './target.ts';

/** A requested change at an ad platform. */
export interface Request extends TargetRequest {
  readonly kind: AdActionKind;
  readonly appliedBy: string | null;
  readonly isDryRun: boolean;
  /** Hash of the caller's Idempotency-Key; the action keeps it permanently. */
  readonly key: { readonly keyHash: Buffer; readonly fingerprint: Buffer };
  /** Decides from the live state what to write, or refuses. */
  plan(live: Live): Promise<Plan>;
  /** Called when the platform does not respond; refuses if the last synced state already forbids the change. */
  whenUnread?(entity: ActableEntity): void;
}

/** The live state of the target, with the account to change it. */
export interface Live extends Target {
  readonly account: Account<unknown>;
  readonly live: LiveEntity;
  readonly before: AdState;
  readonly call: Call;
}

export interface Plan {
  readonly wanted: Wanted;
  /** The earlier action that this one undoes. */
  readonly undoes?: string | undefined;
  /** Other properties that will change. */
  readonly after?: Partial<AdState>;
  write(): Promise<unknown>;
}
