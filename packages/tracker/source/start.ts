import { attempt } from './attempt.ts';
import { forgetUnlessAllowed } from './consent.ts';
import { listen, watchAddress } from './pages.ts';
import type { Settings } from './settings.ts';
import { createTracker } from './tracker.ts';

/** `tributary(command, ...)`. Until the script is there, a stand-in of one line keeps the calls in `q`. */
interface Tributary {
  (...call: unknown[]): void;
  q?: ArrayLike<Call> | { push(call: Call): void };
}
type Call = ArrayLike<unknown>;

/** Looked up at each use: a bundle may be read where there is no window. */
export const world = () => window as Window & { tributary?: Tributary };

/** Starts once, however often it is asked to, and only on a page that somebody sees. */
export function begin(settings: Settings): void {
  if (!settings.key || isLoaded() || !/^http/.test(location.protocol)) return;
  const go = () => {
    attempt(() => start(settings));
  };
  // A page that the browser prepares in advance may never be seen.
  if ((document as { prerendering?: boolean }).prerendering) {
    document.addEventListener('prerenderingchange', go, { once: true });
  } else go();
}

function start(settings: Settings): void {
  forgetUnlessAllowed(settings.consentRequired);
  const { commands, sender, addressChanged } = createTracker(settings);

  const run = (call: Call) => {
    const [command, ...values] = Array.from(call);
    attempt(() => commands[command as string]?.(...(values as never[])));
  };
  const early = earlyCalls();
  const tributary: Tributary = (...call) => run(call);
  // Whoever holds on to the stand-in still reaches us.
  tributary.q = { push: run };
  world().tributary = tributary;

  watchAddress(addressChanged, () => settings.auto && commands.page());
  listen(window, 'online', sender.whenOnline);
  listen(window, 'pagehide', sender.beacon);
  listen(document, 'visibilitychange', () => (document.visibilityState === 'hidden' ? sender.beacon() : sender.now()));

  // An answer that was given before us counts for the first page view, too.
  const isConsent = (call: Call) => call[0] === 'consent';
  early.filter(isConsent).forEach(run);
  if (settings.auto) commands.page();
  early.filter((call) => !isConsent(call)).forEach(run);
  sender.soon();
}

function isLoaded(): boolean {
  const { q } = world().tributary || {};
  return !!q && !Array.isArray(q);
}

function earlyCalls(): Call[] {
  return Array.from((world().tributary?.q || []) as ArrayLike<Call>);
}
