import type { Vault } from '@tributary/vault';

/** What the handlers of this room need from the outside. */
export interface HandoffServices {
  readonly baseUrl: string;
  readonly vault: Vault;
}
