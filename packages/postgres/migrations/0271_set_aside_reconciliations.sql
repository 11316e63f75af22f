-- The worker's role marks a reconciliation as failed when it sets it aside, and as queued when it is put back.
GRANT UPDATE (state) ON reconciliations TO tributary_system;
