import { attempt } from './attempt.ts';
import { endpointOf } from './settings.ts';
import { begin, getWindow } from './start.ts';

/** The settings of the script tag, for sites that bundle the tracker. */
export interface TrackerOptions {
  /** The tracking key of the site, `trk_…`. It is public. */
  readonly key: string;
  /** The collector's URL, or a path of the site that is proxied to it, like `/t`. */
  readonly collector: string;
  /** `required`: nothing is stored or sent before `consent(true)`. */
  readonly consent?: 'required';
  /** `false`: page views are recorded only by `page()`. */
  readonly auto?: boolean;
}

/**
 * Identifies a visitor. For a new visitor only the strongest identifier is stored; the others, and names, must come from a
 * server.
 */
export interface Traits {
  readonly external_id?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly first_name?: string;
  readonly last_name?: string;
}

export interface Tracker {
  /** Records a page view. Needed only if `auto` is false. */
  page(): void;
  /** Records a custom event, like `track('trial_started', { plan: 'pro' })`. */
  track(name: string, properties?: Readonly<Record<string, unknown>>): void;
  /** Identifies the visitor; the collector trusts it if it is signed by your server. */
  identify(traits: Traits, signature?: string): void;
  /** Records whether the visitor consented to tracking. */
  consent(isGiven: boolean): void;
}

/**
 * Starts the tracker, once per page. On a server, where there is no window, it and its commands do nothing. It never throws into
 * the page.
 */
export function startTracker({ key, collector, consent, auto = true }: TrackerOptions): Tracker {
  if (typeof window !== 'undefined') {
    attempt(() =>
      begin({ key, endpoint: endpointOf(collector, location.href), consentRequired: consent === 'required', auto }),
    );
  }
  return {
    page: () => call('page'),
    track: (name, properties) => call('track', name, properties),
    identify: (traits, signature) => call('identify', traits, signature),
    consent: (isGiven) => call('consent', isGiven),
  };
}

function call(...command: unknown[]): void {
  if (typeof window === 'undefined') return;
  attempt(() => {
    // A prerendered page starts later and then runs the calls queued until then.
    const early = (...args: unknown[]) => void (early.q as unknown[][]).push(args);
    early.q = [] as unknown[][];
    const here = getWindow();
    here.tributary = here.tributary || early;
    here.tributary(...command);
  });
}
