import { attempt } from './attempt.ts';
import { endpointOf } from './settings.ts';
import { begin, world } from './start.ts';

/** What the script tag says, for those who bundle the tracker instead. */
export interface TrackerOptions {
  /** The tracking key of the site, `trk_…`. It is public. */
  readonly key: string;
  /** Where visits go: the collector's address, or a path of the site that is passed on to it, like `/t`. */
  readonly collector: string;
  /** `required`: nothing is stored or sent before `consent(true)`. */
  readonly consent?: 'required';
  /** `false`: page views are recorded only by `page()`. */
  readonly auto?: boolean;
}

/** Who somebody is. Of somebody new only the strongest of these is kept; the others, and names, must come from a server. */
export interface Traits {
  readonly external_id?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly first_name?: string;
  readonly last_name?: string;
}

export interface Tracker {
  /** Records a page view. Not needed unless `auto` is false. */
  page(): void;
  /** Records that something happened, like `track('trial_started', { plan: 'pro' })`. */
  track(name: string, properties?: Readonly<Record<string, unknown>>): void;
  /** Says who is there; with a signature of your server the collector believes it. */
  identify(traits: Traits, signature?: string): void;
  /** The person's answer about being recorded. */
  consent(isGiven: boolean): void;
}

/**
 * Starts the tracker, once per page. On a server, where there is no window, it does nothing, and neither do the commands. Nothing
 * is ever thrown into the page.
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
    // A page that is only prepared so far starts later, and takes up what was called until then.
    const early = (...kept: unknown[]) => void (early.q as unknown[][]).push(kept);
    early.q = [] as unknown[][];
    const here = world();
    here.tributary = here.tributary || early;
    here.tributary(...command);
  });
}
