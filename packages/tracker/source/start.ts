import { attempt } from './attempt.ts';
import { forgetUnlessAllowed } from './consent.ts';
import { listen, watchAddress } from './pages.ts';
import type { Settings } from './settings.ts';
import { createTracker } from './tracker.ts';

/** `tributary(command, ...)`. Until the script has loaded, a one-line stub collects the calls in `q`. */
interface Tributary {
  (...call: unknown[]): void;
  q?: ArrayLike<Call> | { push(call: Call): void };
}
type Call = ArrayLike<unknown>;

/** Evaluated on each use, because a bundle may be loaded where there is no window. */
export const getWindow = () => window as Window & { tributary?: Tributary };

/** Starts only once per page, and only on a page that is visible to the visitor. */
export function begin(settings: Settings): void {
  if (!settings.key || isLoaded() || !/^http/.test(location.protocol)) return;
  const go = () => {
    attempt(() => start(settings));
  };
  // A prerendered page may never be shown.
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
  // Code that kept a reference to the stub still reaches the tracker.
  tributary.q = { push: run };
  getWindow().tributary = tributary;

  watchAddress(addressChanged, () => settings.auto && commands.page());
  listen(window, 'online', sender.whenOnline);
  listen(window, 'pagehide', sender.beacon);
  listen(document, 'visibilitychange', () => (document.visibilityState === 'hidden' ? sender.beacon() : sender.now()));

  // A consent answer given before the script loaded also applies to the first page view.
  const isConsent = (call: Call) => call[0] === 'consent';
  early.filter(isConsent).forEach(run);
  if (settings.auto) commands.page();
  early.filter((call) => !isConsent(call)).forEach(run);
  sender.soon();
}

function isLoaded(): boolean {
  const { q } = getWindow().tributary || {};
  return !!q && !Array.isArray(q);
}

function earlyCalls(): Call[] {
  return Array.from((getWindow().tributary?.q || []) as ArrayLike<Call>);
}
