/** The rules of selecting an account. Pure: nothing is read or written here. */

export interface Selection {
  readonly expiresAt: Date;
  /** The selected account, if any. */
  readonly candidateId: string | null;
  /** Whether the selected account is still connected. */
  readonly isConnected: boolean;
}

export type Choice =
  /** The account may be connected. */
  | 'choose'
  /** The same account was already selected. */
  | 'same'
  /** Another account was already selected. */
  | 'other'
  | 'lapsed'
  /** Nothing is pending. */
  | 'nothing';

/** `candidateId` is undefined for a read. */
export function decideChoice(selection: Selection | undefined, candidateId: string | undefined, now: Date): Choice {
  if (!selection) return 'nothing';
  if (selection.candidateId !== null) {
    if (!selection.isConnected || candidateId === undefined) return 'nothing';
    return selection.candidateId === candidateId ? 'same' : 'other';
  }
  return selection.expiresAt <= now ? 'lapsed' : 'choose';
}
