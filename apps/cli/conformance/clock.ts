import assert from 'node:assert/strict';
import type { Client } from './client.ts';

const dayMs = 86_400_000;

/** The installation's clock: this machine's, unless the installation has one that can be advanced. */
export class InstallationClock {
  readonly #api: Client;
  #aheadMs = 0;
  readonly canAdvance: boolean;

  private constructor(api: Client, now: string | undefined) {
    this.#api = api;
    this.canAdvance = now !== undefined;
    this.#follow(now);
  }

  static async open(api: Client): Promise<InstallationClock> {
    const { status, body } = await api.get('/test/clock');
    return new InstallationClock(api, status === 200 ? body.now : undefined);
  }

  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  /** The date so many days ago, in UTC. */
  day(ago = 0): string {
    return this.at(-ago * dayMs).slice(0, 10);
  }

  /** The time so many milliseconds from now. */
  at(milliseconds: number): string {
    return new Date(this.now().getTime() + milliseconds).toISOString();
  }

  async advance({ days = 0, minutes = 0, seconds = 0 }): Promise<void> {
    const all = days * 86_400 + minutes * 60 + seconds;
    const { status, body } = await this.#api.post('/test/clock', { advance_seconds: all });
    assert.equal(status, 200, 'The clock of the installation did not advance.');
    this.#follow(body.now);
  }

  #follow(now: string | undefined): void {
    if (now !== undefined) this.#aheadMs = Date.parse(now) - Date.now();
  }
}
