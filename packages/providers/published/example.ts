import type { Provider, ProviderRecord, WebhookDelivery } from '../provider.ts';

/** A published response of a provider, and the records that it must yield. */
export interface Example {
  readonly name: string;
  /** Where the format is published. */
  readonly source: string;
  /** The API's responses by the end of the path; other paths get the provider's empty response. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** A webhook that contains the record itself. */
  readonly webhook?: { readonly topic: string; readonly body: unknown };
  readonly said: readonly unknown[];
}

export interface PublishedExamples {
  readonly provider: Provider;
  readonly account: {
    readonly externalId: string;
    readonly credentials: unknown;
    readonly details: Record<string, string>;
  };
  /** The position from which a sync reads the examples. */
  readonly position: unknown;
  /** The empty response for requests that the example does not cover. */
  readonly empty: (path: string) => unknown;
  /** The kinds of records to compare; all unless set. */
  readonly kinds?: readonly ProviderRecord['kind'][];
  readonly examples: readonly Example[];
}

export const receivedOf = ({ topic, body }: NonNullable<Example['webhook']>): WebhookDelivery => ({
  headers: { 'x-shopify-topic': topic },
  // '#820982911946154508' stands for an integer that JavaScript cannot represent.
  body: Buffer.from(JSON.stringify(body).replaceAll(/"#(\d{15,})"/g, '$1')),
});
