import type { ActableEntity } from '@tributary/domain/campaigns';
import type { Account, Call, LiveEntity } from '@tributary/providers';
import type { AdActionKind } from '@tributary/vocabulary';
import type { AdState, Wanted } from './ad-state.ts';
import type { Target, TargetRequest } from './target.ts';

/** What is asked of an ad platform. */
export interface Request extends TargetRequest {
  readonly kind: AdActionKind;
  readonly appliedBy: string | null;
  readonly isDryRun: boolean;
  /** Of the caller's key: the action has it for ever. */
  readonly key: { readonly keyHash: Buffer; readonly fingerprint: Buffer };
  /** Looks at what is live and says what is to be done, or refuses. */
  plan(live: Live): Promise<Plan>;
  /** The platform does not answer: whether what the last sync told is reason enough to refuse. */
  whenUnread?(entity: ActableEntity): void;
}

/** What the platform says now, and what it can be asked. */
export interface Live extends Target {
  readonly account: Account<unknown>;
  readonly live: LiveEntity;
  readonly before: AdState;
  readonly call: Call;
}

export interface Plan {
  readonly wanted: Wanted;
  /** The action of ours that it takes back. */
  readonly undoes?: string | undefined;
  /** What else will be otherwise. */
  readonly after?: Partial<AdState>;
  write(): Promise<unknown>;
}
