/** What metrics count of a request: its operation, and its error code if it was rejected. */
export interface Observed {
  readonly route: { readonly id: string } | undefined;
  readonly errorCode: string | undefined;
}

/** The metrics in Prometheus' text format. */
export interface MetricsPage {
  text(): Promise<string>;
  readonly contentType: string;
}

export interface Metrics extends MetricsPage {
  observe(state: Observed, status: number, milliseconds: number): void;
  countLocalLimits(): void;
  /** Counts a change of a figure whose causes do not add up. */
  countUnexplained(): void;
  /** Counts a provider's webhook that was rejected. */
  countRefusedWebhook(channel: string, status: number): void;
  /** Counts a provider webhook that was stored in the stream. */
  countWebhook(channel: string, isVerified: boolean): void;
  /** Counts visits that the collector accepted, valid or broken. */
  countVisits(accepted: number, broken: number): void;
}

/** A metric that is read when Prometheus scrapes. */
export type Figure = { readonly help: string } & (
  | { readonly read: () => Promise<number> }
  | { readonly label: string; readonly readEach: Readonly<Record<string, () => Promise<number>>> }
);
