import type { LeftOutReason } from '@tributary/vocabulary';
import { isInWindow, type Touch, type Window } from './path.ts';

/**
 * Why a touch is not on the path of a conversion. `kinId` is the earliest touch of the window with the same session
 * and source, which may be the touch itself.
 */
export function whyLeftOut(touch: Pick<Touch, 'touchId' | 'at'>, conversion: Window, kinId: string): LeftOutReason {
  if (touch.at > conversion.at) return 'after_conversion';
  if (!isInWindow(touch, conversion)) return 'outside_window';
  return kinId === touch.touchId ? 'path_full' : 'repeat_of_session';
}
