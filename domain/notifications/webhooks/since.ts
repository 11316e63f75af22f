/** The two lists that an event must match. */
export interface Lists {
  readonly events: readonly string[];
  readonly providers: readonly string[];
}

/** By name of an event type that was added later: the sequence number after which it applies. */
export type Since = Readonly<Record<string, string>>;

/** The event types that a subscription with these lists receives. Every live event comes from the provider `service`. */
export const matchingEvents = ({ events, providers }: Lists): readonly string[] =>
  providers.includes('service') ? events : [];

/** The start positions after a change: added event types apply from now on, even if the subscription lags behind. */
export function sinceAfter(before: Lists & { readonly since: unknown }, after: Lists, last: string): Since {
  const since = before.since as Since;
  const [was, is] = [matchingEvents(before), matchingEvents(after)];
  return Object.fromEntries(
    is.flatMap((name) => {
      const from = was.includes(name) ? since[name] : last;
      return from === undefined ? [] : [[name, from]];
    }),
  );
}
