import { isInWindow, type Touch, type Window } from './path.ts';

/** Why a touch of somebody has no part in a conversion of theirs. */
export type LeftOut = 'outside_window' | 'after_conversion' | 'repeat_of_session' | 'path_full';

/**
 * For a touch that is not of the path. `kinId` is the earliest touch of the window with the same session and source, which may be
 * itself.
 */
export function whyLeftOut(touch: Pick<Touch, 'touchId' | 'at'>, conversion: Window, kinId: string): LeftOut {
  if (touch.at > conversion.at) return 'after_conversion';
  if (!isInWindow(touch, conversion)) return 'outside_window';
  return kinId === touch.touchId ? 'path_full' : 'repeat_of_session';
}
