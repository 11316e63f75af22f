/** What a choice means, given what is known of the selection. Nothing is looked up or written here. */

export interface Selection {
  readonly expiresAt: Date;
  /** What was chosen, if anything was. */
  readonly candidateId: string | null;
  /** Whether what was chosen is still connected. */
  readonly isConnected: boolean;
}

export type Choice =
  /** The account may be connected. */
  | 'choose'
  /** It was chosen before. */
  | 'same'
  /** Another one was. */
  | 'other'
  | 'lapsed'
  /** Nothing is pending. */
  | 'nothing';

/** `candidateId` undefined: somebody only looks. */
export function decideChoice(selection: Selection | undefined, candidateId: string | undefined, now: Date): Choice {
  if (!selection) return 'nothing';
  if (selection.candidateId !== null) {
    if (!selection.isConnected || candidateId === undefined) return 'nothing';
    return selection.candidateId === candidateId ? 'same' : 'other';
  }
  return selection.expiresAt <= now ? 'lapsed' : 'choose';
}
