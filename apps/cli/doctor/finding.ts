export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'wrong';
  readonly detail: string;
  /** The recommended action. */
  readonly advice?: string;
}

export const ok = (what: string, detail: string): Finding => ({ what, state: 'ok', detail });
export const wrong = (what: string, detail: string, advice: string): Finding => ({
  what,
  state: 'wrong',
  detail,
  advice,
});
