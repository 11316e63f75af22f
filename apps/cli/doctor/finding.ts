export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'wrong';
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

export const ok = (what: string, detail: string): Finding => ({ what, state: 'ok', detail });
export const wrong = (what: string, detail: string, advice: string): Finding => ({
  what,
  state: 'wrong',
  detail,
  advice,
});
