/** A visit in the collector's format. */
export interface Visit {
  readonly id: string;
  readonly at: string;
  readonly type: 'page_view' | 'track' | 'identify';
  readonly name?: string;
  readonly session_id: string;
  readonly is_session_start: boolean;
  readonly url: string;
  readonly referrer?: string;
  readonly properties?: object;
  readonly traits?: object;
  readonly signature?: string;
  readonly link_token?: string;
  readonly verification?: string;
}

/** A visit when it happens. Its session is determined only when the visit may be stored. */
export type Draft = Omit<Visit, 'session_id' | 'is_session_start'>;
