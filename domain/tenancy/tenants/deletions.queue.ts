import type { QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import { type DeletionStores, deleteTenantStep } from './delete-tenant-step.ts';
import { findDeletion } from './deletion-store.ts';

/** Queue that runs the deletion steps of each tenant, and the check for late rows one day later. */
export const tenantDeletions = (stores: DeletionStores): QueueHandler => ({
  async load(tenantId) {
    const deletion = await findDeletion(stores.system, tenantId);
    if (!deletion || deletion.isSetAside) return { items: [], isMore: false };
    const beginsAt = deletion.restorableUntil ?? deletion.lookAgainAt;
    const waitMs = (beginsAt?.getTime() ?? 0) - stores.now().getTime();
    // The sweep picks it up once it is due.
    if (waitMs > 0) return { items: [], isMore: false };
    return { items: [{ id: tenantId }], isMore: true };
  },

  async work({ key: tenantId, signal }) {
    await deleteTenantStep(stores, tenantId, signal);
  },

  async park(tx, tenantId) {
    await sql`UPDATE tenant_deletions SET is_set_aside = true WHERE profile_id = ${tenantId}`.execute(tx);
  },

  async unpark(tx, tenantId) {
    await sql`UPDATE tenant_deletions SET is_set_aside = false WHERE profile_id = ${tenantId}`.execute(tx);
  },
});
