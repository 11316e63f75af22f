/** What is counted of a request: which operation it was, and how it was refused if it was. */
export interface Observed {
  readonly route: { readonly id: string } | undefined;
  readonly errorCode: string | undefined;
}

/** What Prometheus reads. */
export interface MetricsPage {
  text(): Promise<string>;
  readonly contentType: string;
}

export interface Metrics extends MetricsPage {
  observe(state: Observed, status: number, milliseconds: number): void;
  countLocalLimits(): void;
  /** A change of a figure whose causes do not add up. */
  countUnexplained(): void;
  /** A webhook of a provider that was not taken. */
  countRefusedWebhook(channel: string, status: number): void;
  /** Counts a provider webhook that was stored in the stream. */
  countWebhook(channel: string, isVerified: boolean): void;
  /** Visits that the collector took, whole or broken. */
  countVisits(accepted: number, broken: number): void;
}

/** Something that is counted when somebody asks. */
export type Figure = { readonly help: string } & (
  | { readonly read: () => Promise<number> }
  | { readonly label: string; readonly readEach: Readonly<Record<string, () => Promise<number>>> }
);
