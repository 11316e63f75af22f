/** The two lists that an event must match. */
export interface Lists {
  readonly events: readonly string[];
  readonly providers: readonly string[];
}

/** By the name of an event that was added later: the number after which it counts. */
export type Since = Readonly<Record<string, string>>;

/** What a subscription with these lists is told of. Whatever fires comes from the service itself. */
export const toldOf = ({ events, providers }: Lists): readonly string[] =>
  providers.includes('service') ? events : [];

/** What is added counts from now on, also where the subscription itself is behind. */
export function sinceAfter(before: Lists & { readonly since: unknown }, after: Lists, last: string): Since {
  const since = before.since as Since;
  const [was, is] = [toldOf(before), toldOf(after)];
  return Object.fromEntries(
    is.flatMap((name) => {
      const from = was.includes(name) ? since[name] : last;
      return from === undefined ? [] : [[name, from]];
    }),
  );
}
