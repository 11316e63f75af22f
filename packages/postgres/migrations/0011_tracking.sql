-- How a profile's sites are tracked: its public key, its settings, the domains it collects on, and proof that the snippet works.

-- The key is public: it stands in every page. It says where a visit goes, never who may read.
CREATE TABLE tracking_keys (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  key text COLLATE "C" NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  revoked_at timestamptz,
  PRIMARY KEY (profile_id, id)
);
-- Whoever asks twice gets the same key.
CREATE UNIQUE INDEX tracking_keys_one_active ON tracking_keys (profile_id) WHERE revoked_at IS NULL;
ALTER TABLE tracking_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON tracking_keys TO tributary_app USING (profile_id = current_profile());
CREATE POLICY look_up ON tracking_keys FOR SELECT TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tracking_keys TO tributary_app;

-- No row: the defaults.
CREATE TABLE tracking_settings (
  profile_id uuid PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
  -- Hosts whose pages may send visits, their subdomains included. Empty: any.
  allowed_hosts text[] NOT NULL DEFAULT '{}',
  -- Further hosts of the profile's own: coming from one of them is not a referral.
  own_hosts text[] NOT NULL DEFAULT '{}',
  -- Hosts, besides the known ones, that people only pass through (payment, login).
  redirect_hosts text[] NOT NULL DEFAULT '{}',
  is_consent_required boolean NOT NULL DEFAULT false,
  keeps_city boolean NOT NULL DEFAULT true,
  -- Visits a day. Null: the plan's.
  daily_visit_quota integer CHECK (daily_visit_quota > 0),
  updated_at timestamptz NOT NULL
);
ALTER TABLE tracking_settings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON tracking_settings TO tributary_app USING (profile_id = current_profile());
CREATE POLICY look_up ON tracking_settings FOR SELECT TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tracking_settings TO tributary_app;

CREATE TABLE tracking_domains (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  domain text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'verified', 'failed')),
  -- What the last look at DNS saw, in words.
  verdict text,
  checked_at timestamptz,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, domain)
);
ALTER TABLE tracking_domains ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON tracking_domains TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON tracking_domains TO tributary_app;

CREATE TABLE tracking_verifications (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  url text NOT NULL,
  -- Whether the page's text names the snippet: a hint. Only a visit that carries the nonce verifies.
  is_snippet_present boolean,
  fetch_verdict text,
  started_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  verified_at timestamptz,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, nonce)
);
CREATE INDEX tracking_verifications_newest ON tracking_verifications (profile_id, started_at DESC);
ALTER TABLE tracking_verifications ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON tracking_verifications TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON tracking_verifications TO tributary_app;

-- What a collector must know of keys before any wall stands: whose they are, and what they may send. Nothing for a dead one.
CREATE FUNCTION find_tracking_keys(keys text[])
  RETURNS TABLE (key text, profile_id uuid, plan text, allowed_hosts text[], own_hosts text[], keeps_city boolean, daily_visit_quota integer)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT k.key, p.id, w.plan, coalesce(s.allowed_hosts, '{}'), coalesce(s.own_hosts, '{}'), coalesce(s.keeps_city, true), s.daily_visit_quota
  FROM tracking_keys k
  JOIN profiles p ON p.id = k.profile_id AND p.archived_at IS NULL
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN tracking_settings s ON s.profile_id = k.profile_id
  WHERE k.key = ANY (keys) AND k.revoked_at IS NULL;
END $$;
REVOKE ALL ON FUNCTION find_tracking_keys FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_tracking_keys TO tributary_app;
