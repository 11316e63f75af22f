-- A tracking key is public, so anybody may say who a browser is. A shop's server can sign what it says, with a secret that stands sealed
-- beside the key; the link remembers whether it was signed.
ALTER TABLE tracking_keys ADD COLUMN identify_secret bytea;
GRANT UPDATE (identify_secret) ON tracking_keys TO tributary_app;
-- Wrapped anew by the operator, like other secrets.
CREATE POLICY rewrapped ON tracking_keys TO tributary_owner USING (true);
ALTER TABLE tracking_settings ADD COLUMN is_signed_identify_required boolean NOT NULL DEFAULT false;
ALTER TABLE visitor_links ADD COLUMN is_signed boolean NOT NULL DEFAULT false;
