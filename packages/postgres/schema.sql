CREATE SCHEMA public;

CREATE TYPE public.credential AS (
	hash bytea,
	kind text,
	credential_id uuid,
	profile_id uuid,
	workspace_id uuid,
	app_id uuid,
	scopes text[],
	granted text[],
	requests_per_minute integer,
	is_attribution_enabled boolean,
	is_healthcare boolean,
	is_rate_set boolean
);

CREATE FUNCTION public.announce_ad_actions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  PERFORM announce_work('ad-actions', ARRAY(SELECT DISTINCT profile_id FROM waiting WHERE due_at < 'infinity'));
  RETURN NULL;
END $$;

CREATE FUNCTION public.announce_syncs() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  PERFORM announce_work('syncs', ARRAY(SELECT connection_id FROM waiting WHERE due_at <= now()));
  RETURN NULL;
END $$;

CREATE FUNCTION public.announce_tracking() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  PERFORM pg_notify('tributary_tracking', coalesce(NEW.profile_id, OLD.profile_id)::text);
  RETURN NULL;
END $$;

CREATE FUNCTION public.announce_tracking_of_profile() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  PERFORM pg_notify('tributary_tracking', NEW.id::text);
  RETURN NULL;
END $$;

CREATE FUNCTION public.announce_tracking_of_workspace() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  PERFORM pg_notify('tributary_tracking', id::text) FROM profiles WHERE workspace_id = NEW.id;
  RETURN NULL;
END $$;

CREATE FUNCTION public.announce_waiting() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE keys uuid[] := ARRAY(SELECT DISTINCT profile_id FROM waiting);
BEGIN
  IF cardinality(keys) > 0 THEN PERFORM announce_work(TG_ARGV[0], keys); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION public.announce_webhooks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  PERFORM announce_work('webhooks', ARRAY(SELECT subscription_id FROM waiting WHERE due_at <= now()));
  RETURN NULL;
END $$;

CREATE FUNCTION public.announce_work(queue_name text, keys uuid[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  -- Whoever is older than a look that saw nothing of it is known by this.
  PERFORM pg_current_xact_id();
  PERFORM pg_notify('tributary_work', queue_name || ' ' || k)
  FROM unnest(keys) AS k
  WHERE NOT EXISTS (SELECT FROM work_turns t WHERE t.queue = queue_name AND t.key = k AND t.is_waiting);
END $$;

CREATE FUNCTION public.append_audit(workspace uuid, entry_at timestamp with time zone, actor_kind text, actor_id text, action text, result text, target text, detail jsonb, request_id text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  head audit_heads;
  entry_hash bytea;
BEGIN
  IF workspace IS DISTINCT FROM current_workspace()
    AND NOT EXISTS (SELECT FROM profiles WHERE id = current_profile() AND workspace_id = workspace) THEN
    RAISE EXCEPTION 'an audit entry belongs to the workspace of its transaction' USING ERRCODE = '42501';
  END IF;
  INSERT INTO audit_heads VALUES (workspace, 0, '\x') ON CONFLICT DO NOTHING;
  SELECT * INTO head FROM audit_heads WHERE audit_heads.workspace_id = workspace FOR UPDATE;
  entry_hash := sha256(head.hash || convert_to(jsonb_build_array(
    workspace, head.sequence + 1, (extract(epoch FROM entry_at) * 1000)::bigint, actor_kind, actor_id, action, result, target, detail, request_id
  )::text, 'UTF8'));
  INSERT INTO audit_log VALUES (workspace, head.sequence + 1, entry_at, actor_kind, actor_id, action, result, target, detail, request_id, head.hash, entry_hash);
  UPDATE audit_heads SET sequence = head.sequence + 1, hash = entry_hash WHERE audit_heads.workspace_id = workspace;
  RETURN head.sequence + 1;
END $$;

CREATE FUNCTION public.append_installation_audit(entry_at timestamp with time zone, actor_kind text, actor_id text, action text, result text, target text, detail jsonb, request_id text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  last_sequence bigint;
  last_hash bytea;
  entry_hash bytea;
BEGIN
  -- Puts concurrent entries in order.
  PERFORM pg_advisory_xact_lock(hashtextextended('installation_audit_log', 7034));
  SELECT sequence, hash INTO last_sequence, last_hash FROM installation_audit_log ORDER BY sequence DESC LIMIT 1;
  last_sequence := coalesce(last_sequence, 0);
  last_hash := coalesce(last_hash, '\x');
  entry_hash := sha256(last_hash || convert_to(jsonb_build_array(
    NULL, last_sequence + 1, (extract(epoch FROM entry_at) * 1000)::bigint, actor_kind, actor_id, action, result, target, detail, request_id
  )::text, 'UTF8'));
  INSERT INTO installation_audit_log
  VALUES (last_sequence + 1, entry_at, actor_kind, actor_id, action, result, target, detail, request_id, last_hash, entry_hash);
  RETURN last_sequence + 1;
END $$;

CREATE FUNCTION public.count_differences(since timestamp with time zone) RETURNS TABLE(kind text, differences bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  SELECT d.kind, count(*)
  FROM (
    SELECT DISTINCT ON (profile_id) profile_id, id FROM reconciliations
    WHERE is_nightly AND state = 'done' AND requested_at > since ORDER BY profile_id, requested_at DESC, id DESC) AS latest
  JOIN reconciliation_differences d ON d.profile_id = latest.profile_id AND d.reconciliation_id = latest.id
  WHERE d.state = 'open'
  GROUP BY d.kind
$$;

CREATE TABLE public.merges (
    profile_id uuid NOT NULL,
    loser_id uuid NOT NULL,
    merged_at timestamp with time zone NOT NULL,
    survivor_id uuid NOT NULL,
    source text NOT NULL,
    request_id uuid,
    said_kinds text[] NOT NULL,
    id uuid DEFAULT gen_random_uuid(),
    undone_at timestamp with time zone,
    undone_by text,
    reason text,
    named_one uuid,
    named_other uuid,
    moved_identifiers integer DEFAULT 0 NOT NULL,
    moved_browsers integer DEFAULT 0 NOT NULL,
    moved_outcomes integer DEFAULT 0 NOT NULL,
    confirmed_by text,
    CONSTRAINT merges_have_ids CHECK ((id IS NOT NULL))
);

ALTER TABLE ONLY public.merges FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.count_moved(profile uuid, loser uuid, browsers bigint, outcomes bigint) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 UPDATE public.merges m SET moved_browsers = (m.moved_browsers + count_moved.browsers), moved_outcomes = (m.moved_outcomes + count_moved.outcomes)
   WHERE ((m.profile_id = count_moved.profile) AND (m.loser_id = count_moved.loser) AND (m.merged_at = ( SELECT max(latest.merged_at) AS max
            FROM public.merges latest
           WHERE ((latest.profile_id = count_moved.profile) AND (latest.loser_id = count_moved.loser)))));
END;

CREATE FUNCTION public.count_outcomes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO outcome_totals AS t
    SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, ''), count(*), coalesce(sum(reporting_amount), 0)
    FROM new_rows WHERE customer_id IS NOT NULL AND uncounted IS NULL
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (profile_id, customer_id, event_key, event_type_key, currency)
    DO UPDATE SET outcomes = t.outcomes + excluded.outcomes, amount = t.amount + excluded.amount;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO outcome_totals AS t
    SELECT profile_id, customer_id, event_key, event_type_key, currency, sum(n), sum(amount)
    FROM (
      SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, '') AS currency, 1 AS n, coalesce(reporting_amount, 0) AS amount
      FROM new_rows WHERE uncounted IS NULL
      UNION ALL
      SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, ''), -1, -coalesce(reporting_amount, 0)
      FROM old_rows WHERE uncounted IS NULL
    ) AS change
    WHERE customer_id IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0 OR sum(amount) <> 0 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (profile_id, customer_id, event_key, event_type_key, currency)
    DO UPDATE SET outcomes = t.outcomes + excluded.outcomes, amount = t.amount + excluded.amount;
    IF NOT FOUND THEN RETURN NULL; END IF;
  ELSE
    -- Not an insert: where the whole profile goes, there is nothing left to refer to.
    UPDATE outcome_totals t SET outcomes = t.outcomes - gone.n, amount = t.amount - gone.amount
    FROM (
      SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, '') AS currency, count(*) AS n, coalesce(sum(reporting_amount), 0) AS amount
      FROM old_rows WHERE customer_id IS NOT NULL AND uncounted IS NULL GROUP BY 1, 2, 3, 4, 5
    ) AS gone
    WHERE (t.profile_id, t.customer_id, t.event_key, t.event_type_key, t.currency)
      = (gone.profile_id, gone.customer_id, gone.event_key, gone.event_type_key, gone.currency);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM outcome_totals t USING (SELECT DISTINCT profile_id, customer_id FROM old_rows) AS was
    WHERE t.profile_id = was.profile_id AND t.customer_id = was.customer_id AND t.outcomes = 0;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION public.current_profile() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('app.profile_id'::text, true), ''::text))::uuid;

CREATE FUNCTION public.current_workspace() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid;

CREATE FUNCTION public.current_owner() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN COALESCE(public.current_profile(), (NULLIF(current_setting('app.app_id'::text, true), ''::text))::uuid, public.current_workspace());

CREATE FUNCTION public.exchange_rate(from_currency text, to_currency text, on_day date) RETURNS TABLE(rate numeric, rate_date date)
    LANGUAGE sql STABLE
    AS $$
  SELECT round(t.per_usd / f.per_usd, 20), least(t.day, f.day)
  FROM (SELECT per_usd, day FROM exchange_rates r WHERE r.currency = from_currency AND r.day <= on_day ORDER BY r.day DESC LIMIT 1) f
  CROSS JOIN (SELECT per_usd, day FROM exchange_rates r WHERE r.currency = to_currency AND r.day <= on_day ORDER BY r.day DESC LIMIT 1) t;
$$;

CREATE FUNCTION public.exchange_rate_then(from_currency text, to_currency text, on_day date, moment timestamp with time zone) RETURNS TABLE(rate numeric, rate_date date)
    LANGUAGE sql STABLE
    AS $$
  SELECT round(t.per_usd / f.per_usd, 20), least(t.day, f.day)
  FROM (
    SELECT coalesce((
        SELECT h.per_usd FROM exchange_rates_history h
        WHERE h.currency = r.currency AND h.day = r.day AND h.replaced_at > moment ORDER BY h.replaced_at LIMIT 1), r.per_usd) AS per_usd, r.day
    FROM exchange_rates r
    WHERE r.currency = from_currency AND r.day <= on_day AND (r.known_at IS NULL OR r.known_at <= moment) ORDER BY r.day DESC LIMIT 1) f
  CROSS JOIN (
    SELECT coalesce((
        SELECT h.per_usd FROM exchange_rates_history h
        WHERE h.currency = r.currency AND h.day = r.day AND h.replaced_at > moment ORDER BY h.replaced_at LIMIT 1), r.per_usd) AS per_usd, r.day
    FROM exchange_rates r
    WHERE r.currency = to_currency AND r.day <= on_day AND (r.known_at IS NULL OR r.known_at <= moment) ORDER BY r.day DESC LIMIT 1) t;
$$;

CREATE FUNCTION public.export_outcomes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  IF NOT EXISTS (SELECT FROM new_rows n JOIN export_targets t ON t.profile_id = n.profile_id AND t.is_enabled) THEN RETURN NULL; END IF;
  INSERT INTO export_events (profile_id, target_id, outcome_id, scheduled_at, due_at)
  SELECT n.profile_id, t.id, n.id, tick, tick
  FROM new_rows n
  JOIN export_targets t ON t.profile_id = n.profile_id AND t.is_enabled
  CROSS JOIN LATERAL (SELECT date_bin(make_interval(mins => t.every_minutes), now(), 'epoch') + make_interval(mins => t.every_minutes) AS tick) s
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION public.fan_out_events() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  INSERT INTO webhook_work AS w (profile_id, subscription_id)
  SELECT s.profile_id, s.id FROM (SELECT DISTINCT profile_id, type FROM numbered) e
  JOIN webhook_subscriptions s ON s.profile_id = e.profile_id AND e.type = ANY (s.events)
  WHERE s.status = 'active' AND 'service' = ANY (s.providers)
  GROUP BY s.profile_id, s.id ORDER BY s.id
  ON CONFLICT (subscription_id) DO UPDATE SET due_at = '-infinity', version = w.version + 1;
  RETURN NULL;
END $$;

CREATE TABLE public.apps (
    id uuid NOT NULL,
    name text NOT NULL,
    client_secret_hash bytea NOT NULL,
    redirect_uris text[] NOT NULL,
    allowed_return_origins text[] NOT NULL,
    rate_tier text DEFAULT 'standard'::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    disabled_at timestamp with time zone,
    CONSTRAINT apps_rate_tier_check CHECK ((rate_tier = ANY (ARRAY['standard'::text, 'elevated'::text, 'internal'::text])))
);

ALTER TABLE ONLY public.apps FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.find_app(app uuid) RETURNS TABLE(client_secret_hash bytea, rate_tier text, redirect_uris text[], allowed_return_origins text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT a.client_secret_hash,
     a.rate_tier,
     a.redirect_uris,
     a.allowed_return_origins
    FROM public.apps a
   WHERE ((a.id = find_app.app) AND (a.disabled_at IS NULL));
END;

CREATE TABLE public.grants (
    profile_id uuid NOT NULL,
    app_id uuid NOT NULL,
    oauth_scopes text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);

ALTER TABLE ONLY public.grants FORCE ROW LEVEL SECURITY;

CREATE TABLE public.profiles (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    privacy_mode text DEFAULT 'standard'::text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    reporting_currency text DEFAULT 'USD'::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    governing_app_id uuid,
    is_attribution_enabled boolean DEFAULT true NOT NULL,
    archived_at timestamp with time zone,
    repricing_since timestamp with time zone,
    repriced_at timestamp with time zone,
    is_test boolean DEFAULT false NOT NULL,
    CONSTRAINT profiles_privacy_mode_check CHECK ((privacy_mode = ANY (ARRAY['standard'::text, 'platform_safe'::text, 'hipaa'::text]))),
    CONSTRAINT profiles_reporting_currency_check CHECK ((reporting_currency ~ '^[A-Z]{3}$'::text))
);

ALTER TABLE ONLY public.profiles FORCE ROW LEVEL SECURITY;

CREATE TABLE public.workspaces (
    id uuid NOT NULL,
    name text NOT NULL,
    is_healthcare_agency boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    plan text DEFAULT 'free'::text NOT NULL,
    provisioned_by uuid,
    archived_at timestamp with time zone,
    owner_id uuid,
    CONSTRAINT workspaces_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'growth'::text, 'scale'::text])))
);

ALTER TABLE ONLY public.workspaces FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.find_app_profile(app uuid, profile uuid) RETURNS TABLE(workspace_id uuid, oauth_scopes text[], is_governing boolean, is_healthcare boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT p.workspace_id,
     g.oauth_scopes,
     (NOT (p.governing_app_id IS DISTINCT FROM find_app_profile.app)),
     (w.is_healthcare_agency OR (p.privacy_mode <> 'standard'::text))
    FROM ((public.profiles p
      JOIN public.workspaces w ON (((w.id = p.workspace_id) AND (w.archived_at IS NULL))))
      LEFT JOIN public.grants g ON (((g.profile_id = p.id) AND (g.app_id = find_app_profile.app) AND (g.revoked_at IS NULL))))
   WHERE ((p.id = find_app_profile.profile) AND (p.archived_at IS NULL) AND ((g.app_id IS NOT NULL) OR (p.governing_app_id = find_app_profile.app)));
END;

CREATE FUNCTION public.find_app_workspace(app uuid, workspace uuid) RETURNS TABLE(workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT w.id
    FROM public.workspaces w
   WHERE ((w.id = find_app_workspace.workspace) AND (w.provisioned_by = find_app_workspace.app) AND (w.archived_at IS NULL));
END;

CREATE FUNCTION public.find_assistant_token(token_hash text, at timestamp with time zone) RETURNS TABLE(token_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text, granted text[], is_attribution_enabled boolean, is_healthcare boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN QUERY SELECT t.id, t.user_id, m.workspace_id, t.reference_id, m.role,
    ARRAY(SELECT jsonb_array_elements_text(t.scopes) INTERSECT SELECT jsonb_array_elements_text(c.scopes)),
    p.is_attribution_enabled, w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM oauth_access_tokens t
  JOIN sessions s ON s.id = t.session_id AND s.user_id = t.user_id AND s.expires_at > at
  JOIN oauth_clients a ON a.client_id = t.client_id AND a.disabled IS NOT TRUE
  JOIN oauth_consents c ON c.client_id = t.client_id AND c.user_id = t.user_id AND c.reference_id = t.reference_id
  LEFT JOIN profiles p ON p.id = t.reference_id AND p.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = t.user_id
  WHERE t.token = token_hash AND t.expires_at > at AND t.revoked IS NULL;
END $$;

CREATE TABLE public.connections (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    app_id uuid,
    channel text NOT NULL,
    status text NOT NULL,
    external_id text NOT NULL,
    name text NOT NULL,
    granted text[] DEFAULT '{}'::text[] NOT NULL,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    credentials bytea,
    credentials_revision integer DEFAULT 1 NOT NULL,
    connected_at timestamp with time zone NOT NULL,
    disconnected_at timestamp with time zone,
    refresh_holder uuid,
    refresh_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    tracked_pages jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT connections_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'connected'::text, 'needs_action'::text, 'reconnect_required'::text, 'disconnected'::text])))
);

ALTER TABLE ONLY public.connections FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.find_connections_of(told_channel text, told_account text) RETURNS TABLE(profile_id uuid, id uuid, credentials_revision integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT c.profile_id,
     c.id,
     c.credentials_revision
    FROM (public.connections c
      JOIN public.profiles p ON (((p.id = c.profile_id) AND (p.archived_at IS NULL))))
   WHERE ((c.channel = find_connections_of.told_channel) AND (c.external_id = find_connections_of.told_account) AND (c.status <> 'disconnected'::text))
  LIMIT 100;
END;

CREATE FUNCTION public.find_created(member uuid, at timestamp with time zone) RETURNS TABLE(kind text, id uuid, profile_id uuid, name text, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ DECLARE
  -- As a list, so that each table is entered by the index that begins with the profile.
  profile_ids uuid[] := ARRAY(SELECT p.id FROM profiles p WHERE p.workspace_id = current_workspace());
BEGIN
  RETURN QUERY
  SELECT 'api_key', k.id, k.profile_id, k.name, k.created_at
  FROM api_keys k
  WHERE k.profile_id = ANY (profile_ids) AND k.minted_by_kind = 'user' AND k.minted_by_id = member::text
    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > at)
  UNION ALL
  SELECT 'shared_view', v.id, v.profile_id, v.name, v.created_at
  FROM shared_views v
  WHERE v.profile_id = ANY (profile_ids) AND v.made_by = member
    AND v.revoked_at IS NULL AND (v.expires_at IS NULL OR v.expires_at > at)
  UNION ALL
  SELECT 'report_mail', m.id, m.profile_id, m.page, m.created_at
  FROM report_mails m
  WHERE m.profile_id = ANY (profile_ids) AND m.made_by = member
  UNION ALL
  SELECT 'invitation', i.id, NULL::uuid, coalesce(i.email, i.role), i.created_at
  FROM invitations i
  WHERE i.workspace_id = current_workspace() AND i.invited_by = member
    AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > at;
END $$;

CREATE FUNCTION public.find_credentials(hashes bytea[], at timestamp with time zone) RETURNS SETOF public.credential
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN QUERY SELECT k.hash, 'api_key', k.id, p.id, p.workspace_id, k.app_id, k.scopes,
    CASE WHEN k.app_id IS NULL THEN NULL ELSE coalesce(g.oauth_scopes, '{}') END,
    k.requests_per_minute, p.is_attribution_enabled,
    w.is_healthcare_agency OR p.privacy_mode <> 'standard',
    coalesce(k.is_rate_set, k.requests_per_minute <> 300)
  FROM api_keys k
  JOIN profiles p ON p.id = k.profile_id AND p.archived_at IS NULL
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN apps a ON a.id = k.app_id
  LEFT JOIN grants g ON g.profile_id = k.profile_id AND g.app_id = k.app_id AND g.revoked_at IS NULL
  WHERE k.hash = ANY (hashes) AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > at)
    AND a.disabled_at IS NULL
  UNION ALL
  SELECT t.hash, 'app', t.id, p.id, p.workspace_id, t.app_id, t.scopes,
    CASE WHEN t.profile_id IS NULL THEN NULL ELSE coalesce(g.oauth_scopes, '{}') END,
    CASE a.rate_tier WHEN 'internal' THEN 6000 WHEN 'elevated' THEN 1200 ELSE 300 END, coalesce(p.is_attribution_enabled, true),
    coalesce(w.is_healthcare_agency OR p.privacy_mode <> 'standard', true),
    false
  FROM app_tokens t
  JOIN apps a ON a.id = t.app_id AND a.disabled_at IS NULL
  LEFT JOIN profiles p ON p.id = t.profile_id AND p.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN grants g ON g.profile_id = t.profile_id AND g.app_id = t.app_id AND g.revoked_at IS NULL
  WHERE t.hash = ANY (hashes) AND t.expires_at > at AND (t.profile_id IS NULL OR w.id IS NOT NULL);
END $$;

CREATE FUNCTION public.find_deleted_workspaces(person uuid, at timestamp with time zone) RETURNS TABLE(id uuid, name text, deleted_at timestamp with time zone, restorable_until timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ DECLARE
  owned uuid[] := ARRAY(SELECT m.workspace_id FROM members m WHERE m.user_id = person AND m.role = 'owner');
BEGIN
  RETURN QUERY SELECT w.id, w.name, w.archived_at, d.restorable_until
  FROM tenant_deletions d JOIN workspaces w ON w.id = d.profile_id
  WHERE d.profile_id = ANY (owned) AND w.id = ANY (owned) AND d.restorable_until > at AND w.archived_at IS NOT NULL
  ORDER BY w.archived_at DESC, w.id;
END $$;

CREATE TABLE public.key_ring (
    purpose text NOT NULL,
    id text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone,
    public_key bytea,
    CONSTRAINT key_ring_id_check CHECK ((id ~ '^[a-z0-9]{1,16}$'::text)),
    CONSTRAINT key_ring_public_key_check CHECK ((octet_length(public_key) = 32)),
    CONSTRAINT key_ring_purpose_check CHECK ((purpose = ANY (ARRAY['envelope'::text, 'session'::text, 'link_token'::text, 'stream'::text, 'tombstone'::text, 'visitor'::text])))
);

CREATE FUNCTION public.find_envelope_keys() RETURNS TABLE(purpose text, id text, sealed bytea, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT k.purpose,
     k.id,
     k.sealed,
     k.created_at
    FROM public.key_ring k
   WHERE ((k.purpose = 'envelope'::text) AND (k.retired_at IS NULL))
   ORDER BY k.created_at DESC, k.id;
END;

CREATE TABLE public.handoffs (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    app_id uuid,
    provider text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    return_url text,
    capability_hash bytea NOT NULL,
    capability bytea NOT NULL,
    claim uuid,
    claimed_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    completed_at timestamp with time zone,
    connection_id uuid,
    candidate_count integer,
    selection_expires_at timestamp with time zone,
    reason text,
    last_attempt_reason text,
    last_attempt_at timestamp with time zone,
    reconnects uuid,
    CONSTRAINT handoffs_check CHECK (((claim IS NULL) = (claimed_at IS NULL))),
    CONSTRAINT handoffs_check1 CHECK (((status = 'pending'::text) = (completed_at IS NULL))),
    CONSTRAINT handoffs_check2 CHECK (((candidate_count IS NULL) = (selection_expires_at IS NULL))),
    CONSTRAINT handoffs_check3 CHECK ((((status = 'failed'::text) OR (status = 'cancelled'::text)) = (reason IS NOT NULL))),
    CONSTRAINT handoffs_check4 CHECK (((status = 'completed'::text) = ((connection_id IS NOT NULL) OR (candidate_count IS NOT NULL)))),
    CONSTRAINT handoffs_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY public.handoffs FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.find_handoff(hash bytea) RETURNS TABLE(profile_id uuid, id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT h.profile_id,
     h.id,
     p.workspace_id
    FROM (public.handoffs h
      JOIN public.profiles p ON (((p.id = h.profile_id) AND (p.archived_at IS NULL))))
   WHERE (h.capability_hash = find_handoff.hash);
END;

CREATE TABLE public.invitations (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    hash bytea NOT NULL,
    role text NOT NULL,
    email text,
    invited_by uuid,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    accepted_by uuid,
    revoked_at timestamp with time zone,
    name text,
    CONSTRAINT invitations_email_check CHECK ((email = lower(email))),
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'analyst'::text, 'viewer'::text])))
);

ALTER TABLE ONLY public.invitations FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.find_invitation(invitation_hash bytea) RETURNS TABLE(id uuid, workspace_id uuid, role text, email text, expires_at timestamp with time zone, is_accepted boolean, is_revoked boolean, is_workspace_archived boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT i.id,
     i.workspace_id,
     i.role,
     i.email,
     i.expires_at,
     (i.accepted_at IS NOT NULL),
     (i.revoked_at IS NOT NULL),
     (w.archived_at IS NOT NULL)
    FROM (public.invitations i
      JOIN public.workspaces w ON ((w.id = i.workspace_id)))
   WHERE (i.hash = find_invitation.invitation_hash);
END;

CREATE FUNCTION public.find_live_session(session_hash text, wanted_workspace uuid, wanted_profile uuid, at timestamp with time zone, idle interval) RETURNS TABLE(session_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text, is_attribution_enabled boolean, is_healthcare boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN QUERY SELECT s.id, s.user_id, m.workspace_id, p.id, m.role, p.is_attribution_enabled,
    w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM sessions s
  LEFT JOIN profiles named ON named.id = wanted_profile AND named.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = coalesce(wanted_workspace, named.workspace_id) AND w.archived_at IS NULL
  LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = s.user_id
  LEFT JOIN profiles p ON p.id = named.id AND p.workspace_id = m.workspace_id
  WHERE s.token = session_hash AND s.expires_at > at AND coalesce(s.seen_at, s.created_at) > at - idle;
END $$;

CREATE FUNCTION public.find_mcp_token(token_hash text, at timestamp with time zone) RETURNS TABLE(token_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text, granted text[], is_attribution_enabled boolean, is_healthcare boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN QUERY SELECT t.id, t.user_id, m.workspace_id, p.id, m.role,
    ARRAY(SELECT jsonb_array_elements_text(t.scopes) INTERSECT SELECT jsonb_array_elements_text(c.scopes)),
    p.is_attribution_enabled, w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM oauth_access_tokens t
  JOIN sessions s ON s.id = t.session_id AND s.user_id = t.user_id AND s.expires_at > at
  JOIN oauth_clients a ON a.client_id = t.client_id AND a.disabled IS NOT TRUE
  JOIN oauth_consents c ON c.client_id = t.client_id AND c.user_id = t.user_id AND c.reference_id = t.reference_id
  JOIN profiles p ON p.id = t.reference_id AND p.archived_at IS NULL
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  JOIN members m ON m.workspace_id = w.id AND m.user_id = t.user_id
  WHERE t.token = token_hash AND t.expires_at > at AND t.revoked IS NULL;
END $$;

CREATE TABLE public.members (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'analyst'::text, 'viewer'::text])))
);

ALTER TABLE ONLY public.members FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.find_memberships(person uuid) RETURNS TABLE(workspace_id uuid, workspace_name text, role text, profile_id uuid, profile_name text, is_healthcare boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT w.id,
     w.name,
     m.role,
     p.id,
     p.name,
     (w.is_healthcare_agency OR (p.privacy_mode <> 'standard'::text))
    FROM ((public.members m
      JOIN public.workspaces w ON (((w.id = m.workspace_id) AND (w.archived_at IS NULL))))
      LEFT JOIN public.profiles p ON (((p.workspace_id = w.id) AND (p.archived_at IS NULL))))
   WHERE (m.user_id = find_memberships.person)
   ORDER BY w.name, w.id, p.name, p.id;
END;

CREATE FUNCTION public.find_outcome_subscriber() RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN (
    SELECT p.governing_app_id FROM profiles p JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
    WHERE p.id = current_profile() AND p.archived_at IS NULL AND p.privacy_mode = 'standard' AND NOT w.is_healthcare_agency);
END $$;

CREATE FUNCTION public.find_place(person uuid, wanted_workspace uuid, wanted_profile uuid) RETURNS TABLE(workspace_id uuid, profile_id uuid, role text, is_attribution_enabled boolean, is_healthcare boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN QUERY SELECT m.workspace_id, p.id, m.role, p.is_attribution_enabled, w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM workspaces w
  LEFT JOIN profiles p ON p.id = wanted_profile AND p.workspace_id = w.id AND p.archived_at IS NULL
  JOIN members m ON m.workspace_id = w.id AND m.user_id = person
  WHERE w.id = coalesce(wanted_workspace, (SELECT named.workspace_id FROM profiles named WHERE named.id = wanted_profile AND named.archived_at IS NULL))
    AND w.archived_at IS NULL;
END $$;

CREATE FUNCTION public.find_session(session_hash text, wanted_workspace uuid, wanted_profile uuid, at timestamp with time zone) RETURNS TABLE(session_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text, is_attribution_enabled boolean, is_healthcare boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN QUERY SELECT s.id, s.user_id, m.workspace_id, p.id, m.role, p.is_attribution_enabled,
    w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM sessions s
  LEFT JOIN profiles named ON named.id = wanted_profile AND named.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = coalesce(wanted_workspace, named.workspace_id) AND w.archived_at IS NULL
  LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = s.user_id
  LEFT JOIN profiles p ON p.id = named.id AND p.workspace_id = m.workspace_id
  WHERE s.token = session_hash AND s.expires_at > at;
END $$;

CREATE FUNCTION public.find_shared_view(secret bytea, at timestamp with time zone) RETURNS TABLE(id uuid, profile_id uuid, workspace_id uuid, page text, date_from text, date_to text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  SELECT v.id, p.id, p.workspace_id, v.page, v.date_from::text, v.date_to::text
  FROM shared_views v
  JOIN profiles p ON p.id = v.profile_id AND p.archived_at IS NULL AND p.privacy_mode = 'standard'
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL AND NOT w.is_healthcare_agency
  WHERE v.hash = secret AND v.revoked_at IS NULL AND (v.expires_at IS NULL OR v.expires_at > at)
$$;

CREATE FUNCTION public.find_tenants(ids uuid[]) RETURNS TABLE(id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN QUERY SELECT p.id FROM profiles p WHERE p.id = ANY (ids) UNION ALL SELECT w.id FROM workspaces w WHERE w.id = ANY (ids);
END $$;

CREATE TABLE public.tombstones (
    profile_id uuid NOT NULL,
    hash bytea NOT NULL,
    erasure_id uuid NOT NULL,
    erased_at timestamp with time zone NOT NULL,
    was_strong boolean DEFAULT false NOT NULL,
    was_keyed boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY public.tombstones FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.find_tombstones(profile_ids uuid[], hashes bytea[]) RETURNS TABLE(profile_id uuid, hash bytea, erased_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT t.profile_id,
     t.hash,
     max(t.erased_at) AS max
    FROM (UNNEST(find_tombstones.profile_ids, find_tombstones.hashes) asked(profile_id, hash)
      JOIN public.tombstones t ON (((t.profile_id = asked.profile_id) AND (t.hash = asked.hash))))
   GROUP BY t.profile_id, t.hash;
END;

CREATE FUNCTION public.find_tracking_keys(keys text[]) RETURNS TABLE(key text, profile_id uuid, plan text, allowed_hosts text[], own_hosts text[], keeps_city boolean, daily_visit_quota integer, is_consent_required boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN QUERY SELECT k.key, p.id, w.plan, coalesce(s.allowed_hosts, '{}'), coalesce(s.own_hosts, '{}'), coalesce(s.keeps_city, true), s.daily_visit_quota,
    coalesce(s.is_consent_required, false)
  FROM tracking_keys k
  JOIN profiles p ON p.id = k.profile_id AND p.archived_at IS NULL
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN tracking_settings s ON s.profile_id = k.profile_id
  WHERE k.key = ANY (keys) AND k.revoked_at IS NULL;
END $$;

CREATE TABLE public.users (
    id uuid NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    email_verified boolean DEFAULT false NOT NULL,
    image text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    two_factor_enabled boolean DEFAULT false NOT NULL,
    CONSTRAINT users_email_check CHECK ((email = lower(email)))
);

CREATE FUNCTION public.find_users(ids uuid[]) RETURNS TABLE(id uuid, name text, email text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT u.id,
     u.name,
     u.email
    FROM public.users u
   WHERE (u.id = ANY (find_users.ids));
END;

CREATE FUNCTION public.find_visit_profiles(profile_ids uuid[]) RETURNS TABLE(profile_id uuid, own_hosts text[], redirect_hosts text[], is_healthcare boolean, has_erased boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  RETURN QUERY SELECT p.id, coalesce(s.own_hosts, '{}'), coalesce(s.redirect_hosts, '{}'),
    w.is_healthcare_agency OR p.privacy_mode <> 'standard',
    EXISTS (SELECT FROM tombstones t WHERE t.profile_id = p.id)
  FROM profiles p
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN tracking_settings s ON s.profile_id = p.id
  WHERE p.id = ANY (profile_ids) AND p.archived_at IS NULL;
END $$;

CREATE FUNCTION public.find_webhook_secrets(named_channel text, named_account text) RETURNS TABLE(profile_id uuid, id uuid, credentials bytea)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT c.profile_id,
     c.id,
     c.credentials
    FROM (public.connections c
      JOIN public.profiles p ON (((p.id = c.profile_id) AND (p.archived_at IS NULL))))
   WHERE ((c.channel = find_webhook_secrets.named_channel) AND (c.channel = 'store'::text) AND (c.external_id = find_webhook_secrets.named_account) AND (c.status <> 'disconnected'::text) AND (c.credentials IS NOT NULL))
  LIMIT 100;
END;

CREATE FUNCTION public.follow_merge() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ DECLARE
  moved uuid[];
  names_origin boolean;
BEGIN
  WITH moving AS (
    -- Of whom it was said, which may be somebody who was merged into the loser by that very message.
    UPDATE outcomes o SET customer_id = NEW.merged_into, moved_from = coalesce(o.moved_from, CASE WHEN NOT o.is_payer_assigned THEN (
      SELECT i.moved_from FROM identifiers i WHERE i.profile_id = o.profile_id AND i.kind = o.named_kind AND i.value = o.named_value
        AND i.customer_id IN (NEW.id, NEW.merged_into)) END, NEW.id)
    WHERE o.profile_id = NEW.profile_id AND o.customer_id = NEW.id
    RETURNING o.id, o.origin IS NOT NULL AS names_origin
  )
  SELECT array_agg(id), bool_or(moving.names_origin) INTO moved, names_origin FROM moving;
  IF moved IS NULL THEN RETURN NULL; END IF;
  PERFORM count_moved(NEW.profile_id, NEW.id, 0, cardinality(moved));
  -- What brought the outcomes of somebody is a touch of everything they did, so the survivor's own may have earned one, too.
  IF names_origin THEN
    moved := array(SELECT id FROM outcomes WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into);
  END IF;
  PERFORM mark_merged(NEW.profile_id, NEW.id, moved);
  INSERT INTO dirty_customers (profile_id, customer_id) VALUES (NEW.profile_id, NEW.merged_into)
  ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision');
  RETURN NULL;
END $$;

CREATE FUNCTION public.follow_terms() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO search_terms SELECT DISTINCT profile_id, unnest(terms) AS term, id FROM new_rows ORDER BY term;
  ELSIF TG_OP = 'UPDATE' THEN
    DELETE FROM search_terms s USING (
      SELECT profile_id, unnest(terms) AS term, id FROM old_rows EXCEPT SELECT profile_id, unnest(terms), id FROM new_rows
    ) gone WHERE s.profile_id = gone.profile_id AND s.term = gone.term AND s.customer_id = gone.id;
    INSERT INTO search_terms
      SELECT profile_id, unnest(terms), id FROM new_rows EXCEPT SELECT profile_id, unnest(terms), id FROM old_rows;
  ELSE
    DELETE FROM search_terms s USING (SELECT profile_id, unnest(terms) AS term, id FROM old_rows) gone
    WHERE s.profile_id = gone.profile_id AND s.term = gone.term AND s.customer_id = gone.id;
  END IF;
  RETURN NULL;
END $$;

CREATE TABLE public.oauth_access_tokens (
    id uuid NOT NULL,
    token text NOT NULL,
    client_id text NOT NULL,
    session_id uuid,
    user_id uuid,
    reference_id uuid,
    authorization_code_id text,
    resources jsonb,
    requested_user_info_claims jsonb,
    refresh_id uuid,
    scopes jsonb NOT NULL,
    confirmation jsonb,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked timestamp with time zone
);

CREATE TABLE public.oauth_consents (
    id uuid NOT NULL,
    client_id text NOT NULL,
    user_id uuid,
    reference_id uuid,
    resources jsonb,
    requested_user_info_claims jsonb,
    scopes jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE FUNCTION public.forget_assistants_of(profile uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 DELETE FROM public.oauth_access_tokens
   WHERE (oauth_access_tokens.reference_id = forget_assistants_of.profile);
 DELETE FROM public.oauth_consents
   WHERE (oauth_consents.reference_id = forget_assistants_of.profile);
END;

CREATE FUNCTION public.forget_set_aside() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  DELETE FROM work_set_aside WHERE key = OLD.id;
  RETURN NULL;
END $$;

CREATE TABLE public.tenant_deletions (
    profile_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    log_position text,
    phase text DEFAULT 'waiting'::text NOT NULL,
    at_table text,
    rows_deleted jsonb DEFAULT '{}'::jsonb NOT NULL,
    emptied_at timestamp with time zone,
    look_again_at timestamp with time zone,
    is_set_aside boolean DEFAULT false NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    restorable_until timestamp with time zone
);

ALTER TABLE ONLY public.tenant_deletions FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.is_being_deleted(tenant uuid) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (EXISTS (SELECT FROM public.tenant_deletions d WHERE ((d.profile_id = is_being_deleted.tenant) AND (d.restorable_until IS NULL))));

CREATE FUNCTION public.is_first_account_open() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ SELECT NOT EXISTS (SELECT FROM users) $$;

CREATE TABLE public.app_tokens (
    hash bytea NOT NULL,
    id uuid NOT NULL,
    app_id uuid NOT NULL,
    profile_id uuid,
    scopes text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.app_tokens FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.issue_app_token(token_hash bytea, token_id uuid, app uuid, profile uuid, token_scopes text[], issued_at timestamp with time zone, expires timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO public.app_tokens (hash, id, app_id, profile_id, scopes, created_at, expires_at)
   VALUES (issue_app_token.token_hash, issue_app_token.token_id, issue_app_token.app, issue_app_token.profile, issue_app_token.token_scopes, issue_app_token.issued_at, issue_app_token.expires);
END;

CREATE FUNCTION public.keep_entity() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  INSERT INTO ad_entities_history (profile_id, id, platform, level, external_id, parent_id, name, status, objective, format, currency,
    daily_budget, creative, first_seen, last_seen, revision, learning_stage_status, replaced_at)
  VALUES (OLD.profile_id, OLD.id, OLD.platform, OLD.level, OLD.external_id, OLD.parent_id, OLD.name, OLD.status, OLD.objective, OLD.format,
    OLD.currency, OLD.daily_budget, OLD.creative, OLD.first_seen, OLD.last_seen, OLD.revision, OLD.learning_stage_status, clock_timestamp())
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION public.keep_rate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  INSERT INTO exchange_rates_history VALUES (OLD.currency, OLD.day, clock_timestamp(), OLD.per_usd, OLD.source);
  RETURN NULL;
END $$;

CREATE FUNCTION public.keep_settings() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  INSERT INTO profile_settings_history VALUES (OLD.id, clock_timestamp(), OLD.time_zone, OLD.reporting_currency);
  RETURN NULL;
END $$;

CREATE FUNCTION public.links_follow_merge() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ DECLARE moved bigint; BEGIN
  UPDATE visitor_links SET customer_id = NEW.merged_into, moved_from = coalesce(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND customer_id = NEW.id;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved = 0 THEN RETURN NULL; END IF;
  PERFORM count_moved(NEW.profile_id, NEW.id, moved, 0);
  -- The survivor's conversions may have earned touches of the browsers that came along.
  PERFORM mark_merged(NEW.profile_id, NEW.id,
    array(SELECT id FROM outcomes WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into));
  RETURN NULL;
END $$;

CREATE FUNCTION public.links_follow_split() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  UPDATE visitor_links SET customer_id = NEW.id, moved_from = nullif(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND customer_id = OLD.merged_into AND moved_from = ANY (merged_under(NEW.profile_id, NEW.id));
  RETURN NULL;
END $$;

CREATE FUNCTION public.list_waiting_attribution(after uuid, since timestamp with time zone, most integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE
    AS $$ DECLARE
  candidate uuid := after;
  oldest timestamptz;
  found_ones integer := 0;
BEGIN
  LOOP
    SELECT d.profile_id INTO candidate FROM dirty_conversions d WHERE d.profile_id > candidate ORDER BY d.profile_id LIMIT 1;
    EXIT WHEN candidate IS NULL OR found_ones = most;
    SELECT d.marked_at INTO oldest FROM dirty_conversions d WHERE d.profile_id = candidate ORDER BY d.revision LIMIT 1;
    IF oldest <= since THEN
      found_ones := found_ones + 1;
      RETURN NEXT candidate;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION public.list_waiting_delivery(after uuid, since timestamp with time zone, most integer, looked integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE
    AS $$ DECLARE
  candidate uuid := after;
  oldest timestamptz;
  found_ones integer := 0;
BEGIN
  LOOP
    candidate := least(
      (SELECT e.profile_id FROM dirty_entities e WHERE e.profile_id > candidate ORDER BY e.profile_id LIMIT 1),
      (SELECT d.profile_id FROM dirty_delivery d WHERE d.profile_id > candidate ORDER BY d.profile_id LIMIT 1));
    EXIT WHEN candidate IS NULL OR found_ones = most;
    oldest := least(
      (SELECT min(marked_at) FROM (
        SELECT marked_at FROM dirty_entities WHERE profile_id = candidate ORDER BY entity_id LIMIT looked) e),
      (SELECT min(marked_at) FROM (
        SELECT marked_at FROM dirty_delivery WHERE profile_id = candidate ORDER BY entity_id, day LIMIT looked) d));
    IF oldest <= since THEN
      found_ones := found_ones + 1;
      RETURN NEXT candidate;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION public.unite_causes(known text[], more text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (known @> more) THEN known ELSE (SELECT array_agg(DISTINCT kind.kind ORDER BY kind.kind) AS array_agg FROM unnest((unite_causes.known || unite_causes.more)) kind(kind)) END;

CREATE SEQUENCE public.dirty_revision
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.dirty_conversions (
    profile_id uuid NOT NULL,
    outcome_id uuid NOT NULL,
    revision bigint DEFAULT nextval('public.dirty_revision'::regclass) NOT NULL,
    cause text,
    marked_at timestamp with time zone DEFAULT now() NOT NULL,
    causes text[] DEFAULT '{}'::text[] NOT NULL,
    cause_ref uuid
);

ALTER TABLE ONLY public.dirty_conversions FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.mark_merged(profile uuid, loser uuid, outcome_ids uuid[]) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO public.dirty_conversions AS d (profile_id, outcome_id, causes, cause_ref)  SELECT mark_merged.profile AS profile,
             marked.marked,
             '{merge}',
             ( SELECT m.id
                    FROM public.merges m
                   WHERE ((m.profile_id = mark_merged.profile) AND (m.loser_id = mark_merged.loser))
                   ORDER BY m.merged_at DESC
                  LIMIT 1) AS id
            FROM unnest(mark_merged.outcome_ids) marked(marked)
           ORDER BY marked.marked ON CONFLICT(profile_id, outcome_id) DO UPDATE SET revision = nextval('public.dirty_revision'::regclass), causes = public.unite_causes(d.causes, excluded.causes), cause_ref =
         CASE
             WHEN (d.cause_ref = excluded.cause_ref) THEN d.cause_ref
             ELSE NULL::uuid
         END;
END;

CREATE FUNCTION public.mark_sales() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows WHERE uncounted = 'pending') THEN RETURN NULL; END IF;
    INSERT INTO dirty_sales AS d (profile_id, outcome_id)
    SELECT profile_id, id FROM new_rows WHERE uncounted = 'pending' ORDER BY 1, 2
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false;
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
    SELECT FROM (SELECT DISTINCT profile_id FROM new_rows WHERE amount IS NOT NULL) n
    WHERE EXISTS (
      SELECT FROM sale_sources s WHERE s.profile_id = n.profile_id
      HAVING count(*) > 1 OR bool_or(s.excluded_from IS NOT NULL))) THEN RETURN NULL; END IF;
  WITH changed AS MATERIALIZED (
    SELECT o.profile_id, o.id, o.customer_id, o.amount, o.currency, o.occurred_at,
      (n.customer_id, n.amount, n.currency, n.occurred_at) IS DISTINCT FROM (o.customer_id, o.amount, o.currency, o.occurred_at) AS has_left
    FROM new_rows n JOIN old_rows o ON o.profile_id = n.profile_id AND o.id = n.id
    WHERE (n.amount IS NOT NULL OR o.amount IS NOT NULL)
      AND (n.customer_id, n.amount, n.currency, n.occurred_at, n.event_key, n.event_type_key, n.rest)
        IS DISTINCT FROM (o.customer_id, o.amount, o.currency, o.occurred_at, o.event_key, o.event_type_key, o.rest)
      AND EXISTS (
        SELECT FROM sale_sources s WHERE s.profile_id = n.profile_id
        HAVING count(*) > 1 OR bool_or(s.excluded_from IS NOT NULL)))
  INSERT INTO dirty_sales AS d (profile_id, outcome_id)
  SELECT profile_id, id FROM changed
  UNION
  SELECT near.profile_id, near.id FROM changed c
  JOIN outcomes near ON near.profile_id = c.profile_id AND near.customer_id = c.customer_id AND near.amount = c.amount AND near.currency = c.currency
    -- The longest time window that a profile can set.
    AND near.occurred_at BETWEEN c.occurred_at - interval '1 day' AND c.occurred_at + interval '1 day'
  WHERE c.has_left
  ORDER BY 1, 2
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false;
  RETURN NULL;
END $$;

CREATE FUNCTION public.mark_touched(profile_ids uuid[], visitor_ids uuid[], touched_at timestamp with time zone[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ DECLARE marked bigint; one uuid; BEGIN
  FOR one IN SELECT DISTINCT unnest(profile_ids) LOOP CALL stand_before(one); END LOOP;
  WITH touches AS (
    SELECT t.profile_id, t.visitor_id, t.at, l.customer_id
    FROM unnest(profile_ids, visitor_ids, touched_at) AS t (profile_id, visitor_id, at)
    LEFT JOIN visitor_links l ON l.profile_id = t.profile_id AND l.visitor_id = t.visitor_id
  ), candidates AS (
    SELECT t.profile_id, t.at, o.id, o.occurred_at, o.event_key, o.event_type_key FROM touches t
    JOIN outcomes o ON o.profile_id = t.profile_id AND o.customer_id = t.customer_id
      AND o.occurred_at >= t.at AND o.occurred_at <= t.at + interval '365 days'
    UNION ALL
    SELECT t.profile_id, t.at, o.id, o.occurred_at, o.event_key, o.event_type_key FROM touches t
    JOIN outcomes o ON o.profile_id = t.profile_id AND o.visitor_id = t.visitor_id AND o.customer_id IS NULL
      AND o.occurred_at >= t.at AND o.occurred_at <= t.at + interval '365 days'
  ), affected AS (
    SELECT DISTINCT c.profile_id, c.id FROM candidates c
    LEFT JOIN definition_events byname ON byname.profile_id = c.profile_id AND byname.event_key = c.event_key
    LEFT JOIN definition_events bytype ON bytype.profile_id = c.profile_id AND bytype.event_key = c.event_type_key
    JOIN definitions d ON d.profile_id = c.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id)
    WHERE d.is_attribution_eligible AND c.occurred_at <= c.at + make_interval(days => d.lookback_window_days)
    ORDER BY 1, 2
  ), written AS (
    INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes) SELECT profile_id, id, '{late_visit}' FROM affected
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'),
      causes = unite_causes(d.causes, excluded.causes), cause_ref = NULL
    RETURNING 1
  )
  SELECT count(*) INTO marked FROM written;
  RETURN marked;
END $$;

CREATE FUNCTION public.merged_under(profile uuid, customer uuid) RETURNS uuid[]
    LANGUAGE sql STABLE
    AS $$
  WITH RECURSIVE under AS (
    SELECT customer AS id
    UNION ALL
    SELECT c.id FROM under JOIN customers c ON c.profile_id = profile AND c.merged_into = under.id
  )
  SELECT array_agg(id) FROM under
$$;

CREATE FUNCTION public.move_lock(tenant uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(('move '::text || tenant), (0)::bigint);

CREATE FUNCTION public.note_key_use(key_ids uuid[], at timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  UPDATE api_keys k SET last_used_at = at
  FROM (SELECT id FROM api_keys WHERE id = ANY (key_ids) FOR NO KEY UPDATE SKIP LOCKED) used
  WHERE k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < at)
$$;

CREATE FUNCTION public.note_last_visits(profile_ids uuid[], came_at timestamp with time zone[], step interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  INSERT INTO last_visits AS l (profile_id, received_at)
  SELECT v.profile_id, max(v.at) FROM unnest(profile_ids, came_at) AS v (profile_id, at)
  LEFT JOIN last_visits known ON known.profile_id = v.profile_id
  WHERE known.profile_id IS NULL OR known.received_at < v.at - step
  GROUP BY v.profile_id ORDER BY v.profile_id
  ON CONFLICT (profile_id) DO UPDATE SET
    received_at = greatest(l.received_at, excluded.received_at),
    longest_pause_seconds = greatest(
      extract(epoch FROM excluded.received_at - l.received_at),
      l.longest_pause_seconds * (1 - least(1, extract(epoch FROM excluded.received_at - l.received_at) / extract(epoch FROM interval '30 days'))))
$$;

CREATE FUNCTION public.note_missing_rate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  INSERT INTO outcomes_without_rate (profile_id, outcome_id, currency, occurred_at)
  VALUES (NEW.profile_id, NEW.id, NEW.currency, NEW.occurred_at)
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET currency = excluded.currency, occurred_at = excluded.occurred_at;
  RETURN NULL;
END $$;

CREATE FUNCTION public.note_session_use(session_ids uuid[], at timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  UPDATE sessions s SET seen_at = at
  FROM (SELECT id FROM sessions WHERE id = ANY (session_ids) FOR NO KEY UPDATE SKIP LOCKED) used
  WHERE s.id = used.id AND (s.seen_at IS NULL OR s.seen_at < at)
$$;

CREATE FUNCTION public.on_privacy_switch() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  IF TG_TABLE_NAME = 'profiles' THEN
    IF OLD.privacy_mode = 'standard' AND NEW.privacy_mode <> 'standard' THEN
      PERFORM revoke_person_keys(NEW.id, now());
    END IF;
  ELSIF NEW.is_healthcare_agency AND NOT OLD.is_healthcare_agency THEN
    PERFORM revoke_person_keys(id, now()) FROM profiles WHERE workspace_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION public.open_customers(of_profile uuid, stripe_space integer, stripes integer[], kinds text[], names text[], hashes bytea[], strong_kinds text[], OUT known jsonb, OUT people jsonb, OUT apart jsonb) RETURNS record
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE wanted uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock(stripe_space, stripe) FROM unnest(stripes) AS stripe;
  FOR attempt IN 1 .. 100 LOOP
    -- One statement, so that an erasure is seen whole or not.
    SELECT jsonb_agg(jsonb_build_object('kind', said.kind, 'value', said.name, 'customerId', i.customer_id, 'movedFrom', i.moved_from, 'erasedAt', t.erased_at, 'wasStrong', t.was_strong, 'wasKeyed', t.was_keyed)),
      array_agg(DISTINCT i.customer_id) FILTER (WHERE i.customer_id IS NOT NULL)
    INTO known, wanted
    FROM unnest(kinds, names, hashes) AS said (kind, name, hash)
    LEFT JOIN LATERAL (
      SELECT customer_id, moved_from FROM identifiers
      WHERE profile_id = of_profile AND kind = said.kind COLLATE "C" AND value >= said.name COLLATE "C" AND value <= said.name COLLATE "C"
      ORDER BY value LIMIT 1) i ON true
    LEFT JOIN LATERAL (
      SELECT erased_at, was_strong, was_keyed FROM tombstones WHERE profile_id = of_profile AND hash = said.hash ORDER BY erased_at DESC LIMIT 1) t ON true
    WHERE i.customer_id IS NOT NULL OR t.erased_at IS NOT NULL;
    IF wanted IS NULL THEN RETURN; END IF;
    BEGIN
      -- In the order of their ids, which is that of the list.
      SELECT jsonb_agg(to_jsonb(c)) INTO people
      FROM unnest(wanted) AS one (id) CROSS JOIN LATERAL (
        SELECT id, created_at AS "createdAt", first_name AS "firstName", last_name AS "lastName", primary_email AS "primaryEmail",
          primary_phone AS "primaryPhone", sources, terms, first_seen_at AS "firstSeenAt", last_seen_at AS "lastSeenAt", own IS NOT NULL AS "isSeveral"
        FROM customers WHERE profile_id = of_profile AND id >= one.id AND id <= one.id AND merged_into IS NULL
        ORDER BY id LIMIT 1 FOR NO KEY UPDATE) c;
      IF jsonb_array_length(people) = cardinality(wanted) THEN
        -- What they hold is asked only when they are locked: before, somebody could still have been giving them a national id.
        SELECT jsonb_agg(p.person || jsonb_build_object('nationalId', n.value, 'isStrong', s.kind IS NOT NULL, 'ownKey', k.value)) INTO people
        FROM jsonb_array_elements(people) AS p (person) CROSS JOIN LATERAL (SELECT (p.person ->> 'id')::uuid AS id) c
        LEFT JOIN LATERAL (
          SELECT i.value FROM identifiers i
          WHERE i.profile_id = of_profile AND i.customer_id >= c.id AND i.customer_id <= c.id AND i.kind = 'national_id'
          ORDER BY i.customer_id LIMIT 1) n ON true
        LEFT JOIN LATERAL (
          SELECT i.kind FROM identifiers i
          WHERE i.profile_id = of_profile AND i.customer_id >= c.id AND i.customer_id <= c.id AND i.kind = ANY (strong_kinds)
          ORDER BY i.customer_id LIMIT 1) s ON true
        LEFT JOIN LATERAL (
          SELECT i.value FROM (
            SELECT i.value, i.moved_from, i.said_at FROM identifiers i
            WHERE i.profile_id = of_profile AND i.customer_id >= c.id AND i.customer_id <= c.id AND i.kind = 'external_customer_id' ORDER BY i.customer_id) i
          ORDER BY i.moved_from IS NOT NULL, i.said_at, i.value LIMIT 1) k ON true;
        IF cardinality(wanted) > 1 THEN
          SELECT jsonb_agg(jsonb_build_array(a.one_is, a.other_is)) INTO apart FROM kept_apart a
          WHERE a.profile_id = of_profile AND a.one_is = ANY (wanted) AND a.other_is = ANY (wanted);
        END IF;
        RETURN;
      END IF;
      RAISE SQLSTATE 'TRCHG';
    EXCEPTION WHEN SQLSTATE 'TRCHG' THEN
      -- While we waited for one of them it was merged or erased. What we held is free again, or the order would be lost, and we look again.
    END;
  END LOOP;
  RAISE EXCEPTION 'The customers of a batch did not hold still.';
END $$;

CREATE FUNCTION public.outcomes_follow_split() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ DECLARE
  under uuid[] := merged_under(NEW.profile_id, NEW.id);
  moving uuid[];
BEGIN
  SELECT array_agg(id) INTO moving FROM (
    SELECT o.id FROM outcomes o
    WHERE o.profile_id = NEW.profile_id AND o.customer_id = OLD.merged_into AND (
      o.moved_from = ANY (under)
      OR (o.moved_from IS NULL AND NOT o.is_payer_assigned AND o.named_kind IS NOT NULL AND EXISTS (
        SELECT FROM identifiers i WHERE i.profile_id = NEW.profile_id AND i.kind = o.named_kind AND i.value = o.named_value AND i.customer_id = NEW.id))
      OR (o.visitor_id IS NOT NULL AND NOT o.is_payer_assigned AND (o.moved_from = o.visitor_id OR (o.moved_from IS NULL AND o.named_kind IS NULL)) AND EXISTS (
        SELECT FROM visitor_links l WHERE l.profile_id = NEW.profile_id AND l.visitor_id = o.visitor_id AND l.customer_id = NEW.id)))
    ORDER BY o.idempotency_key FOR UPDATE) AS locked;
  UPDATE outcomes SET customer_id = NEW.id, moved_from = nullif(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND id = ANY (moving);
  INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes, cause_ref)
  SELECT NEW.profile_id, id, '{split}', nullif(current_setting('tributary.undone_merge', true), '')::uuid FROM outcomes
  WHERE profile_id = NEW.profile_id AND customer_id IN (NEW.id, OLD.merged_into) ORDER BY id
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'),
    causes = unite_causes(d.causes, excluded.causes), cause_ref = CASE WHEN d.cause_ref = excluded.cause_ref THEN d.cause_ref END;
  INSERT INTO dirty_customers (profile_id, customer_id)
  SELECT NEW.profile_id, id FROM unnest(ARRAY[NEW.id, OLD.merged_into]) AS id ORDER BY id
  ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision');
  RETURN NULL;
END $$;

CREATE FUNCTION public.partner_touches_follow_merge() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ DECLARE
  first uuid := (
    SELECT id FROM partner_touches
    WHERE profile_id = NEW.profile_id AND customer_id IN (NEW.id, NEW.merged_into) AND kind = 'declared_source' AND NOT is_second
    ORDER BY recorded_at, id LIMIT 1);
BEGIN
  UPDATE partner_touches SET is_second = true
  WHERE profile_id = NEW.profile_id AND customer_id IN (NEW.id, NEW.merged_into) AND kind = 'declared_source' AND id <> first;
  UPDATE partner_touches SET customer_id = NEW.merged_into, moved_from = coalesce(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND customer_id = NEW.id;
  IF FOUND THEN
    PERFORM mark_merged(NEW.profile_id, NEW.id,
      array(SELECT id FROM outcomes WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into));
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION public.partner_touches_follow_split() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  UPDATE partner_touches SET customer_id = NEW.id, moved_from = nullif(moved_from, NEW.id), is_second = is_second OR kind = 'declared_source'
  WHERE profile_id = NEW.profile_id AND customer_id = OLD.merged_into AND moved_from = ANY (merged_under(NEW.profile_id, NEW.id));
  IF FOUND THEN
    UPDATE partner_touches t SET is_second = false
    FROM (SELECT DISTINCT ON (customer_id) id, bool_and(is_second) OVER (PARTITION BY customer_id) AS is_open FROM partner_touches
      WHERE profile_id = NEW.profile_id AND customer_id IN (NEW.id, OLD.merged_into) AND kind = 'declared_source'
      ORDER BY customer_id, recorded_at, id) AS first
    WHERE t.profile_id = NEW.profile_id AND t.id = first.id AND first.is_open;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION public.privacy_lock(id uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended((id)::text, (7034)::bigint);

CREATE FUNCTION public.queue_reconciliations(first_day date, last_day date, of_books text[], at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ DECLARE queued bigint; BEGIN
  INSERT INTO reconciliations (profile_id, id, state, is_nightly, date_from, date_to, books, requested_at)
  SELECT id, gen_random_uuid(), 'queued', true, first_day, last_day, of_books, at FROM profiles
  ON CONFLICT (profile_id, date_to, date_from) WHERE is_nightly DO NOTHING;
  GET DIAGNOSTICS queued = ROW_COUNT;
  RETURN queued;
END $$;

CREATE FUNCTION public.redeem_first_account(presented bytea, at timestamp with time zone) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  WITH redeemed AS (
    DELETE FROM first_account WHERE token_hash = presented AND expires_at > at AND NOT EXISTS (SELECT FROM users) RETURNING id)
  SELECT EXISTS (SELECT FROM redeemed)
$$;

CREATE PROCEDURE public.refuse_moved(IN tenant uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ DECLARE there text; BEGIN
  SELECT shard INTO there FROM moved_tenants WHERE id = tenant;
  IF FOUND THEN RAISE EXCEPTION 'It has moved to the ledger shard "%".', there USING ERRCODE = 'TR001', DETAIL = there, HINT = tenant::text; END IF;
END $$;

CREATE FUNCTION public.remember_moved() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  INSERT INTO moved_conversions VALUES (OLD.profile_id, OLD.id, OLD.occurred_at) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TABLE public.oauth_clients (
    id uuid NOT NULL,
    client_id text NOT NULL,
    client_secret text,
    client_discovery_id text,
    disabled boolean DEFAULT false,
    skip_consent boolean,
    enable_end_session boolean,
    subject_type text,
    scopes jsonb,
    client_credentials_scopes jsonb,
    user_id uuid,
    name text,
    uri text,
    icon text,
    contacts jsonb,
    tos text,
    policy text,
    software_id text,
    software_version text,
    software_statement text,
    redirect_uris jsonb NOT NULL,
    post_logout_redirect_uris jsonb,
    backchannel_logout_uri text,
    backchannel_logout_session_required boolean,
    token_endpoint_auth_method text,
    application_type text,
    jwks text,
    jwks_uri text,
    grant_types jsonb,
    response_types jsonb,
    require_pkce boolean,
    dpop_bound_access_tokens boolean DEFAULT false,
    reference_id text,
    metadata jsonb,
    created_at timestamp with time zone,
    updated_at timestamp with time zone
);

CREATE FUNCTION public.replace_unallowed_clients(before timestamp with time zone, up_to integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 WITH replaced AS (
          DELETE FROM public.oauth_clients
           WHERE (oauth_clients.id IN ( SELECT c.id
                    FROM public.oauth_clients c
                   WHERE ((c.created_at < replace_unallowed_clients.before) AND (NOT (EXISTS ( SELECT
                            FROM public.oauth_consents o
                           WHERE (o.client_id = c.client_id)))))
                   ORDER BY c.created_at
                  LIMIT replace_unallowed_clients.up_to))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM replaced;
END;

CREATE FUNCTION public.revoke_person_keys(profile uuid, at timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  revoked integer;
BEGIN
  UPDATE grants SET updated_at = at,
    oauth_scopes = ARRAY(SELECT DISTINCT unnest(array_replace(oauth_scopes, 'analytics_pii', 'analytics')) ORDER BY 1)
  WHERE profile_id = profile AND 'analytics_pii' = ANY (oauth_scopes);
  UPDATE api_keys SET revoked_at = at
  WHERE profile_id = profile AND app_id IS NOT NULL AND revoked_at IS NULL
    AND scopes && ARRAY['customers:read', 'visitors:read'];
  GET DIAGNOSTICS revoked = ROW_COUNT;
  RETURN revoked;
END $$;

CREATE FUNCTION public.rules_changed() RETURNS void
    LANGUAGE sql
    AS $$
  INSERT INTO attribution_replays (profile_id, id, cause, state, requested_at)
  SELECT p.id, gen_random_uuid(), 'rules', 'queued', now() FROM profiles p
  WHERE NOT EXISTS (SELECT FROM attribution_replays r WHERE r.profile_id = p.id AND r.cause = 'rules' AND r.state = 'queued')
$$;

CREATE PROCEDURE public.stand_before(IN tenant uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
  PERFORM pg_advisory_xact_lock_shared(move_lock(tenant));
  CALL refuse_moved(tenant);
END $$;

CREATE FUNCTION public.summaries_follow_link() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  DELETE FROM journey_summaries s USING new_rows l WHERE s.profile_id = l.profile_id AND s.person_id = l.visitor_id;
  RETURN NULL;
END $$;

CREATE FUNCTION public.summaries_follow_merge() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  DELETE FROM journey_summaries WHERE profile_id = NEW.profile_id AND person_id = NEW.id;
  RETURN NULL;
END $$;

CREATE FUNCTION public.summaries_follow_split() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  DELETE FROM journey_summaries WHERE profile_id = NEW.profile_id AND person_id IN (NEW.id, OLD.merged_into);
  RETURN NULL;
END $$;

CREATE FUNCTION public.take_privacy_lock() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(privacy_lock(OLD.id));
  RETURN NEW;
END $$;

CREATE FUNCTION public.take_privacy_lock_first() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(privacy_lock(id)) FROM unnest(ARRAY[current_workspace(), current_profile()]) AS id WHERE id IS NOT NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION public.take_profile_privacy_lock() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(privacy_lock(OLD.profile_id));
  RETURN NEW;
END $$;

CREATE FUNCTION public.take_workspace_privacy_lock() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(privacy_lock(OLD.workspace_id));
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE TABLE public.accounts (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    account_id text NOT NULL,
    provider_id text NOT NULL,
    password text,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamp with time zone,
    refresh_token_expires_at timestamp with time zone,
    scope text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE public.ad_action_entries (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    action_id uuid NOT NULL,
    stage text NOT NULL,
    before jsonb,
    after jsonb,
    reason text,
    provider_code text,
    request_id text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT ad_action_entries_stage_check CHECK ((stage = ANY (ARRAY['attempted'::text, 'applied'::text, 'no_change'::text, 'refused'::text, 'failed'::text, 'unknown'::text])))
);

ALTER TABLE ONLY public.ad_action_entries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ad_actions (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    platform text NOT NULL,
    level text NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C",
    connection_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    fingerprint bytea NOT NULL,
    actor_kind text NOT NULL,
    actor_id uuid NOT NULL,
    applied_by uuid,
    request_id text NOT NULL,
    wanted jsonb NOT NULL,
    undoes uuid,
    state text NOT NULL,
    before jsonb,
    after jsonb,
    affected_ads integer,
    reason text,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    holder uuid,
    due_at timestamp with time zone,
    looks integer DEFAULT 0 NOT NULL,
    turn bigint,
    CONSTRAINT ad_actions_check CHECK ((((state = 'reading'::text) OR (state = 'sent'::text)) = (due_at IS NOT NULL))),
    CONSTRAINT ad_actions_kind_check CHECK ((kind = ANY (ARRAY['pause'::text, 'resume'::text, 'budget'::text, 'url_tags'::text, 'url_tags_undo'::text]))),
    CONSTRAINT ad_actions_level_check CHECK ((level = ANY (ARRAY['campaign'::text, 'ad_set'::text, 'ad'::text]))),
    CONSTRAINT ad_actions_state_check CHECK ((state = ANY (ARRAY['reading'::text, 'sent'::text, 'applied'::text, 'no_change'::text, 'refused'::text, 'failed'::text, 'unknown'::text])))
);

ALTER TABLE ONLY public.ad_actions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ad_delivery (
    profile_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    day date NOT NULL,
    revision bigint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    currency text NOT NULL,
    spend numeric NOT NULL,
    impressions bigint NOT NULL,
    clicks bigint NOT NULL,
    reach bigint,
    conversions numeric,
    conversion_value numeric,
    video_views_3s bigint,
    video_completions bigint,
    messaging_conversations_started bigint,
    messaging_first_replies bigint,
    CONSTRAINT ad_delivery_spend_check CHECK ((spend >= (0)::numeric))
);

ALTER TABLE ONLY public.ad_delivery FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ad_delivery_history (
    profile_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    day date NOT NULL,
    revision bigint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    currency text NOT NULL,
    spend numeric NOT NULL,
    impressions bigint NOT NULL,
    clicks bigint NOT NULL,
    reach bigint,
    conversions numeric,
    conversion_value numeric,
    video_views_3s bigint,
    video_completions bigint,
    messaging_conversations_started bigint,
    messaging_first_replies bigint,
    replaced_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.ad_delivery_history FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ad_entities (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    platform text NOT NULL,
    level text NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C",
    parent_id uuid,
    name text DEFAULT ''::text NOT NULL,
    status text DEFAULT ''::text NOT NULL,
    objective text DEFAULT ''::text NOT NULL,
    format text DEFAULT ''::text NOT NULL,
    currency text DEFAULT ''::text NOT NULL,
    daily_budget numeric,
    creative jsonb DEFAULT '{}'::jsonb NOT NULL,
    first_seen date NOT NULL,
    last_seen date NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    learning_stage_status text DEFAULT ''::text NOT NULL,
    connection_id uuid,
    CONSTRAINT ad_entities_level_check CHECK ((level = ANY (ARRAY['campaign'::text, 'ad_set'::text, 'ad'::text])))
);

ALTER TABLE ONLY public.ad_entities FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ad_entities_history (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    platform text NOT NULL,
    level text NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C",
    parent_id uuid,
    name text NOT NULL,
    status text NOT NULL,
    objective text NOT NULL,
    format text NOT NULL,
    currency text NOT NULL,
    daily_budget numeric,
    creative jsonb NOT NULL,
    first_seen date NOT NULL,
    last_seen date NOT NULL,
    revision bigint NOT NULL,
    learning_stage_status text NOT NULL,
    replaced_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.ad_entities_history FORCE ROW LEVEL SECURITY;

CREATE TABLE public.alert_mails (
    profile_id uuid NOT NULL,
    alert_id uuid NOT NULL,
    moment text NOT NULL,
    user_id uuid NOT NULL,
    language text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    state text NOT NULL,
    reason text,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    CONSTRAINT alert_mails_moment_check CHECK ((moment = ANY (ARRAY['opened'::text, 'ended'::text]))),
    CONSTRAINT alert_mails_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sending'::text, 'sent'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.alert_mails FORCE ROW LEVEL SECURITY;

CREATE TABLE public.alert_wishes (
    profile_id uuid NOT NULL,
    user_id uuid NOT NULL,
    is_wanted boolean NOT NULL,
    language text NOT NULL
);

ALTER TABLE ONLY public.alert_wishes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.alerts (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    since timestamp with time zone NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT alerts_kind_check CHECK ((kind = ANY (ARRAY['tracker_silent'::text, 'figures_late'::text, 'sync_failing'::text, 'duplicates_found'::text])))
);

ALTER TABLE ONLY public.alerts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.api_keys (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    app_id uuid,
    name text NOT NULL,
    hash bytea NOT NULL,
    prefix text NOT NULL,
    last4 text NOT NULL,
    scopes text[] NOT NULL,
    requests_per_minute integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    minted_by_kind text,
    minted_by_id text,
    is_rate_set boolean,
    CONSTRAINT api_keys_requests_per_minute_check CHECK (((requests_per_minute >= 1) AND (requests_per_minute <= 600000))),
    CONSTRAINT minted_by_somebody CHECK (((minted_by_kind IS NULL) = (minted_by_id IS NULL)))
);

ALTER TABLE ONLY public.api_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.attribution_freshness (
    profile_id uuid NOT NULL,
    state text NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT attribution_freshness_state_check CHECK ((state = ANY (ARRAY['current'::text, 'behind'::text])))
);

ALTER TABLE ONLY public.attribution_freshness FORCE ROW LEVEL SECURITY;

CREATE TABLE public.attribution_replays (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    cause text NOT NULL,
    state text NOT NULL,
    buckets_total integer,
    buckets_done integer DEFAULT 0 NOT NULL,
    conversions_done bigint DEFAULT 0 NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    error text,
    batch_id uuid,
    version bigint,
    CONSTRAINT attribution_replays_buckets_done_check CHECK ((buckets_done >= 0)),
    CONSTRAINT attribution_replays_buckets_total_check CHECK ((buckets_total >= 0)),
    CONSTRAINT attribution_replays_conversions_done_check CHECK ((conversions_done >= 0)),
    CONSTRAINT attribution_replays_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'stopped'::text, 'failed'::text, 'done'::text])))
);

ALTER TABLE ONLY public.attribution_replays FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_heads (
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    hash bytea NOT NULL
);

ALTER TABLE ONLY public.audit_heads FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_log (
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    action text NOT NULL,
    result text NOT NULL,
    target text NOT NULL,
    detail jsonb NOT NULL,
    request_id text NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT audit_log_result_check CHECK ((result = ANY (ARRAY['done'::text, 'refused'::text])))
);

ALTER TABLE ONLY public.audit_log FORCE ROW LEVEL SECURITY;

CREATE TABLE public.bad_visit_days (
    profile_id uuid NOT NULL,
    day date NOT NULL,
    bytes bigint NOT NULL
);

ALTER TABLE ONLY public.bad_visit_days FORCE ROW LEVEL SECURITY;

CREATE TABLE public.bad_visits (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    reason text NOT NULL,
    sealed bytea,
    received_at timestamp with time zone NOT NULL,
    replayed_at timestamp with time zone
);

ALTER TABLE ONLY public.bad_visits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.campaign_tactics (
    profile_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    tactic text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    CONSTRAINT campaign_tactics_tactic_check CHECK ((tactic = ANY (ARRAY['push'::text, 'search'::text, 'brand'::text, 'retargeting'::text, 'coupon'::text, 'owned'::text])))
);

ALTER TABLE ONLY public.campaign_tactics FORCE ROW LEVEL SECURITY;

CREATE TABLE public.closings (
    profile_id uuid NOT NULL,
    month date NOT NULL,
    mark_at timestamp(3) with time zone NOT NULL,
    closed_at timestamp with time zone NOT NULL,
    closed_by_kind text NOT NULL,
    closed_by_id uuid,
    CONSTRAINT closings_month_check CHECK ((month = date_trunc('month'::text, (month)::timestamp with time zone)))
);

ALTER TABLE ONLY public.closings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.creative_analyses (
    profile_id uuid NOT NULL,
    ad_id uuid NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL,
    fingerprint bytea NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    reason text,
    model text,
    found jsonb,
    CONSTRAINT creative_analyses_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.creative_analyses FORCE ROW LEVEL SECURITY;

CREATE TABLE public.creative_pictures (
    profile_id uuid NOT NULL,
    ad_id uuid NOT NULL,
    source_hash bytea NOT NULL,
    tried_at timestamp with time zone NOT NULL,
    media_type text,
    content bytea,
    CONSTRAINT creative_pictures_check CHECK (((media_type IS NULL) = (content IS NULL)))
);

ALTER TABLE ONLY public.creative_pictures FORCE ROW LEVEL SECURITY;

CREATE TABLE public.customers (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    first_name text,
    last_name text,
    primary_email text,
    primary_phone text,
    sources text[] NOT NULL,
    terms text[] NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    merged_into uuid,
    erased_at timestamp with time zone,
    own jsonb
)
WITH (fillfactor='90');

ALTER TABLE ONLY public.customers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.definition_events (
    profile_id uuid NOT NULL,
    event_key text NOT NULL COLLATE pg_catalog."C",
    definition_id uuid NOT NULL
);

ALTER TABLE ONLY public.definition_events FORCE ROW LEVEL SECURITY;

CREATE TABLE public.definitions (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    conversion_type text NOT NULL,
    counts_as_cash boolean NOT NULL,
    is_attribution_eligible boolean NOT NULL,
    lookback_window_days integer NOT NULL,
    is_default boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    first_attributed_at timestamp with time zone,
    kind text DEFAULT 'goal'::text NOT NULL,
    channel text,
    pipeline_id text,
    stage_id text,
    mapping_source text,
    CONSTRAINT definitions_kind_check CHECK ((kind = ANY (ARRAY['goal'::text, 'pipeline_stage'::text]))),
    CONSTRAINT definitions_lookback_window_days_check CHECK (((lookback_window_days >= 1) AND (lookback_window_days <= 365))),
    CONSTRAINT definitions_mapping_source_check CHECK ((mapping_source = ANY (ARRAY['suggested'::text, 'engine_default'::text, 'user'::text]))),
    CONSTRAINT definitions_stage_is_whole CHECK (((kind = 'pipeline_stage'::text) = ((channel IS NOT NULL) AND (pipeline_id IS NOT NULL) AND (stage_id IS NOT NULL) AND (mapping_source IS NOT NULL))))
);

ALTER TABLE ONLY public.definitions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.dirty_customers (
    profile_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    revision bigint DEFAULT nextval('public.dirty_revision'::regclass) NOT NULL
);

ALTER TABLE ONLY public.dirty_customers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.dirty_delivery (
    profile_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    day date NOT NULL,
    revision bigint NOT NULL,
    shown_revision bigint NOT NULL,
    marked_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.dirty_delivery FORCE ROW LEVEL SECURITY;

CREATE TABLE public.dirty_entities (
    profile_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    revision bigint NOT NULL,
    marked_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.dirty_entities FORCE ROW LEVEL SECURITY;

CREATE TABLE public.dirty_sales (
    profile_id uuid NOT NULL,
    outcome_id uuid NOT NULL,
    revision bigint DEFAULT nextval('public.dirty_revision'::regclass) NOT NULL,
    is_matched boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY public.dirty_sales FORCE ROW LEVEL SECURITY;

CREATE TABLE public.erasure_work (
    profile_id uuid NOT NULL,
    erasure_id uuid NOT NULL,
    shell_id uuid NOT NULL,
    person_ids uuid[] NOT NULL,
    log_position text,
    is_set_aside boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY public.erasure_work FORCE ROW LEVEL SECURITY;

CREATE TABLE public.erasures (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    request_ref text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    reason text NOT NULL,
    customer_key bytea,
    requested_at timestamp with time zone NOT NULL,
    completed_at timestamp with time zone,
    cleared jsonb NOT NULL,
    CONSTRAINT erasures_check CHECK (((status = 'done'::text) = (completed_at IS NOT NULL))),
    CONSTRAINT erasures_reason_check CHECK ((reason = ANY (ARRAY['data_subject_request'::text, 'account_closed'::text, 'other'::text]))),
    CONSTRAINT erasures_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'done'::text])))
);

ALTER TABLE ONLY public.erasures FORCE ROW LEVEL SECURITY;

CREATE TABLE public.event_counter (
    one boolean DEFAULT true NOT NULL,
    last bigint NOT NULL,
    CONSTRAINT event_counter_one_check CHECK (one)
);

CREATE TABLE public.event_log (
    sequence bigint NOT NULL,
    id uuid NOT NULL,
    profile_id uuid NOT NULL,
    type text NOT NULL,
    payload jsonb NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    sequenced_at timestamp with time zone NOT NULL,
    kept_from timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.event_log FORCE ROW LEVEL SECURITY;

CREATE TABLE public.exchange_rates (
    currency text NOT NULL,
    day date NOT NULL,
    per_usd numeric NOT NULL,
    source text NOT NULL,
    known_at timestamp with time zone DEFAULT clock_timestamp(),
    CONSTRAINT exchange_rates_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT exchange_rates_per_usd_check CHECK ((per_usd > (0)::numeric))
);

CREATE TABLE public.exchange_rates_history (
    currency text NOT NULL,
    day date NOT NULL,
    replaced_at timestamp with time zone NOT NULL,
    per_usd numeric NOT NULL,
    source text NOT NULL
);

CREATE TABLE public.experiments (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    entity_ids uuid[] NOT NULL,
    starts_on date NOT NULL,
    ends_on date NOT NULL,
    days integer NOT NULL,
    cool_down_days integer NOT NULL,
    pairs jsonb,
    held_out text[],
    seed integer,
    power jsonb,
    readout jsonb,
    void_reason text,
    daily_spend numeric,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT experiments_kind_check CHECK ((kind = ANY (ARRAY['regions'::text, 'external'::text]))),
    CONSTRAINT experiments_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'running'::text, 'ended'::text, 'void'::text])))
);

ALTER TABLE ONLY public.experiments FORCE ROW LEVEL SECURITY;

CREATE TABLE public.export_events (
    profile_id uuid NOT NULL,
    target_id uuid NOT NULL,
    outcome_id uuid NOT NULL,
    scheduled_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    status text DEFAULT 'waiting'::text NOT NULL,
    reason text,
    first_sent_at timestamp with time zone,
    ticket text,
    most_together integer,
    CONSTRAINT export_events_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'processing'::text, 'sent'::text, 'refused'::text, 'withheld'::text, 'unknown'::text])))
);

ALTER TABLE ONLY public.export_events FORCE ROW LEVEL SECURITY;

CREATE TABLE public.export_runs (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    target_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    channel text NOT NULL,
    scheduled_at timestamp with time zone NOT NULL,
    status text NOT NULL,
    conversions integer NOT NULL,
    sent integer NOT NULL,
    refused integer NOT NULL,
    withheld integer NOT NULL,
    unknown integer NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT export_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.export_runs FORCE ROW LEVEL SECURITY;

CREATE TABLE public.export_targets (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    connection_id uuid NOT NULL,
    dataset text NOT NULL,
    clean_dataset text,
    uses_clean boolean DEFAULT false NOT NULL,
    messaging_account text,
    messaging_dataset text,
    events jsonb NOT NULL,
    every_minutes integer NOT NULL,
    is_enabled boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.export_targets FORCE ROW LEVEL SECURITY;

CREATE TABLE public.first_account (
    id smallint DEFAULT 1 NOT NULL,
    token_hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT first_account_id_check CHECK ((id = 1))
);

CREATE TABLE public.idempotent_answer_people (
    owner_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    key_hash bytea NOT NULL
);

ALTER TABLE ONLY public.idempotent_answer_people FORCE ROW LEVEL SECURITY;

CREATE TABLE public.idempotent_answers (
    owner_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    fingerprint bytea NOT NULL,
    status smallint NOT NULL,
    body bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.idempotent_answers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.identifiers (
    profile_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    customer_id uuid NOT NULL,
    source text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    request_id uuid,
    moved_from uuid,
    CONSTRAINT identifiers_kind_check CHECK ((kind = ANY (ARRAY['national_id'::text, 'external_customer_id'::text, 'crm_contact_id'::text, 'store_customer_id'::text, 'payments_customer_id'::text, 'email'::text, 'phone'::text, 'wa_id'::text])))
);

ALTER TABLE ONLY public.identifiers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.identity_conflicts (
    profile_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    customer_id uuid NOT NULL,
    source text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    request_id uuid,
    is_claim boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY public.identity_conflicts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.installation_audit_log (
    sequence bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    action text NOT NULL,
    result text NOT NULL,
    target text NOT NULL,
    detail jsonb NOT NULL,
    request_id text NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT installation_audit_log_result_check CHECK ((result = ANY (ARRAY['done'::text, 'refused'::text])))
);

ALTER TABLE ONLY public.installation_audit_log FORCE ROW LEVEL SECURITY;

CREATE TABLE public.journey_summaries (
    profile_id uuid NOT NULL,
    person_id uuid NOT NULL,
    sealed bytea NOT NULL,
    model text NOT NULL,
    generated_at timestamp with time zone NOT NULL,
    events_used integer NOT NULL,
    is_truncated boolean NOT NULL
);

ALTER TABLE ONLY public.journey_summaries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.kept_apart (
    profile_id uuid NOT NULL,
    one uuid NOT NULL,
    other uuid NOT NULL,
    one_is uuid NOT NULL,
    other_is uuid NOT NULL,
    merge_id uuid NOT NULL,
    kept_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.kept_apart FORCE ROW LEVEL SECURITY;

CREATE TABLE public.last_visits (
    profile_id uuid NOT NULL,
    received_at timestamp with time zone NOT NULL,
    longest_pause_seconds double precision DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.last_visits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.merge_proposals (
    profile_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    one uuid NOT NULL,
    other uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL,
    request_id uuid,
    proposed_at timestamp with time zone NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    decided_at timestamp with time zone,
    decided_by text,
    reason text,
    merge_id uuid,
    CONSTRAINT merge_proposals_state_check CHECK ((state = ANY (ARRAY['open'::text, 'confirmed'::text, 'rejected'::text])))
);

ALTER TABLE ONLY public.merge_proposals FORCE ROW LEVEL SECURITY;

CREATE TABLE public.model_allowances (
    workspace_id uuid NOT NULL,
    day date NOT NULL,
    used integer NOT NULL
);

ALTER TABLE ONLY public.model_allowances FORCE ROW LEVEL SECURITY;

CREATE TABLE public.model_fits (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    state text NOT NULL,
    reason text,
    requested_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    credited_from timestamp with time zone,
    credited_until timestamp with time zone,
    purchases integer,
    seen_pct real,
    histories integer,
    fingerprints jsonb,
    CONSTRAINT model_fits_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'refused'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.model_fits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.moved_conversions (
    profile_id uuid NOT NULL,
    outcome_id uuid NOT NULL,
    left_time timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.moved_conversions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.moved_tenants (
    id uuid NOT NULL,
    shard text NOT NULL,
    moved_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.oauth_client_assertions (
    id text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.oauth_client_resources (
    id uuid NOT NULL,
    client_id text NOT NULL,
    resource_id text NOT NULL,
    metadata jsonb,
    created_at timestamp with time zone
);

CREATE TABLE public.oauth_refresh_tokens (
    id uuid NOT NULL,
    token text NOT NULL,
    client_id text NOT NULL,
    session_id uuid,
    user_id uuid NOT NULL,
    reference_id text,
    authorization_code_id text,
    resources jsonb,
    requested_user_info_claims jsonb,
    scopes jsonb NOT NULL,
    auth_time timestamp with time zone,
    confirmation jsonb,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked timestamp with time zone,
    rotated_at timestamp with time zone,
    rotation_replay_response text,
    rotation_replay_expires_at timestamp with time zone
);

CREATE TABLE public.oauth_resources (
    id uuid NOT NULL,
    identifier text NOT NULL,
    name text NOT NULL,
    access_token_ttl integer,
    refresh_token_ttl integer,
    signing_algorithm text,
    signing_key_id text,
    allowed_scopes jsonb,
    custom_claims jsonb,
    dpop_bound_access_tokens_required boolean DEFAULT false,
    disabled boolean DEFAULT false,
    policy_version integer DEFAULT 1,
    metadata jsonb,
    created_at timestamp with time zone,
    updated_at timestamp with time zone
);

CREATE TABLE public.outbox (
    id uuid NOT NULL,
    profile_id uuid NOT NULL,
    type text NOT NULL,
    payload jsonb NOT NULL,
    occurred_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.outbox FORCE ROW LEVEL SECURITY;

CREATE TABLE public.outcomes (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    idempotency_key text NOT NULL COLLATE pg_catalog."C",
    event_name text NOT NULL,
    event_type text NOT NULL,
    event_key text NOT NULL COLLATE pg_catalog."C",
    event_type_key text NOT NULL COLLATE pg_catalog."C",
    customer_id uuid,
    occurred_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    amount numeric,
    currency text,
    reporting_amount numeric,
    reporting_currency text,
    rate numeric,
    rate_date date,
    subject_ref text,
    is_first_payment boolean,
    purchase_id uuid,
    is_installment boolean DEFAULT false NOT NULL,
    rest jsonb NOT NULL,
    visitor_id uuid,
    erased_at timestamp with time zone,
    origin jsonb,
    source text DEFAULT 'api'::text NOT NULL,
    connection_id uuid,
    external_id text COLLATE pg_catalog."C",
    refunded numeric DEFAULT 0 NOT NULL,
    is_payer_assigned boolean DEFAULT false NOT NULL,
    said_customer_id uuid,
    moved_from uuid,
    named_kind text COLLATE pg_catalog."C",
    named_value text COLLATE pg_catalog."C",
    region text,
    uncounted text,
    duplicate_of uuid,
    CONSTRAINT outcomes_check CHECK (((amount IS NULL) = (currency IS NULL))),
    CONSTRAINT outcomes_check1 CHECK ((is_payer_assigned OR (said_customer_id IS NULL))),
    CONSTRAINT outcomes_refunded_check CHECK ((refunded >= (0)::numeric))
);

ALTER TABLE ONLY public.outcomes FORCE ROW LEVEL SECURITY;

CREATE VIEW public.outcome_meanings WITH (security_invoker='true') AS
 SELECT o.profile_id,
    o.id,
    o.idempotency_key,
    o.event_name,
    o.event_type,
    o.event_key,
    o.event_type_key,
    o.customer_id,
    o.occurred_at,
    o.recorded_at,
    o.updated_at,
    o.amount,
    o.currency,
    o.reporting_amount,
    o.reporting_currency,
    o.rate,
    o.rate_date,
    o.subject_ref,
    o.is_first_payment,
    o.purchase_id,
    o.is_installment,
    o.rest,
    o.visitor_id,
    o.erased_at,
    o.origin,
    o.source,
    o.connection_id,
    o.external_id,
    o.refunded,
    o.is_payer_assigned,
    o.said_customer_id,
        CASE
            WHEN (o.uncounted IS NULL) THEN COALESCE(byname.definition_id, bytype.definition_id)
            ELSE NULL::uuid
        END AS definition_id,
        CASE
            WHEN (o.uncounted IS NULL) THEN d.conversion_type
            ELSE NULL::text
        END AS conversion_type,
        CASE
            WHEN (o.uncounted IS NULL) THEN d.counts_as_cash
            ELSE NULL::boolean
        END AS counts_as_cash,
        CASE
            WHEN (o.uncounted IS NULL) THEN d.is_attribution_eligible
            ELSE NULL::boolean
        END AS is_attribution_eligible,
        CASE
            WHEN (o.uncounted IS NULL) THEN d.lookback_window_days
            ELSE NULL::integer
        END AS lookback_window_days,
    o.uncounted,
    o.duplicate_of,
    (COALESCE(d.counts_as_cash, false) AND (o.amount IS NOT NULL)) AS is_cash_record
   FROM (((public.outcomes o
     LEFT JOIN public.definition_events byname ON (((byname.profile_id = o.profile_id) AND (byname.event_key = o.event_key))))
     LEFT JOIN public.definition_events bytype ON (((bytype.profile_id = o.profile_id) AND (bytype.event_key = o.event_type_key))))
     LEFT JOIN public.definitions d ON (((d.profile_id = o.profile_id) AND (d.id = COALESCE(byname.definition_id, bytype.definition_id)))));

CREATE TABLE public.outcome_totals (
    profile_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    event_key text NOT NULL COLLATE pg_catalog."C",
    event_type_key text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL,
    outcomes bigint NOT NULL,
    amount numeric NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.outcome_totals FORCE ROW LEVEL SECURITY;

CREATE VIEW public.outcome_total_meanings WITH (security_invoker='true') AS
 SELECT t.profile_id,
    t.customer_id,
    t.event_key,
    t.event_type_key,
    t.currency,
    t.outcomes,
    t.amount,
    COALESCE(byname.definition_id, bytype.definition_id) AS definition_id,
    d.counts_as_cash
   FROM (((public.outcome_totals t
     LEFT JOIN public.definition_events byname ON (((byname.profile_id = t.profile_id) AND (byname.event_key = t.event_key))))
     LEFT JOIN public.definition_events bytype ON (((bytype.profile_id = t.profile_id) AND (bytype.event_key = t.event_type_key))))
     LEFT JOIN public.definitions d ON (((d.profile_id = t.profile_id) AND (d.id = COALESCE(byname.definition_id, bytype.definition_id)))));

CREATE TABLE public.outcomes_without_rate (
    profile_id uuid NOT NULL,
    outcome_id uuid NOT NULL,
    currency text NOT NULL,
    occurred_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.outcomes_without_rate FORCE ROW LEVEL SECURITY;

CREATE TABLE public.partner_touches (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    told_hash bytea NOT NULL,
    customer_id uuid NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    origin jsonb NOT NULL,
    ad_external_id text COLLATE pg_catalog."C",
    answer_key text,
    answer_text text,
    is_second boolean DEFAULT false NOT NULL,
    moved_from uuid,
    CONSTRAINT partner_touches_check CHECK (((kind = 'declared_source'::text) = (answer_key IS NOT NULL))),
    CONSTRAINT partner_touches_check1 CHECK (((kind = 'ad_referral'::text) = (ad_external_id IS NOT NULL))),
    CONSTRAINT partner_touches_kind_check CHECK ((kind = ANY (ARRAY['ad_referral'::text, 'declared_source'::text])))
);

ALTER TABLE ONLY public.partner_touches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.passkeys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text,
    credential_id text NOT NULL,
    public_key text NOT NULL,
    counter bigint NOT NULL,
    device_type text NOT NULL,
    backed_up boolean NOT NULL,
    transports text,
    aaguid text,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.password_resets (
    user_id uuid NOT NULL,
    hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone
);

CREATE TABLE public.payment_entries (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    payment_id uuid NOT NULL,
    action text NOT NULL,
    amount numeric,
    currency text,
    payer_id uuid,
    actor_kind text NOT NULL,
    actor_id uuid NOT NULL,
    request_id text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT payment_entries_action_check CHECK ((action = ANY (ARRAY['installment_marked'::text, 'installment_unmarked'::text, 'payer_assigned'::text, 'payer_withdrawn'::text, 'refund_recorded'::text, 'refund_undone'::text]))),
    CONSTRAINT payment_entries_amount_check CHECK ((amount > (0)::numeric)),
    CONSTRAINT payment_entries_check CHECK (((amount IS NULL) = (currency IS NULL))),
    CONSTRAINT payment_entries_check1 CHECK (((action = 'refund_recorded'::text) = (amount IS NOT NULL))),
    CONSTRAINT payment_entries_check2 CHECK (((action = 'payer_assigned'::text) = (payer_id IS NOT NULL)))
);

ALTER TABLE ONLY public.payment_entries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.payment_refunds (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    idempotency_key text NOT NULL COLLATE pg_catalog."C",
    payment_ref text NOT NULL COLLATE pg_catalog."C",
    payment_id uuid,
    kind text NOT NULL,
    status text NOT NULL,
    amount numeric NOT NULL,
    currency text,
    refunded_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    source text NOT NULL,
    CONSTRAINT payment_refunds_amount_check CHECK ((amount > (0)::numeric)),
    CONSTRAINT payment_refunds_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'dispute'::text]))),
    CONSTRAINT payment_refunds_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'withdrawn'::text])))
);

ALTER TABLE ONLY public.payment_refunds FORCE ROW LEVEL SECURITY;

CREATE VIEW public.payments WITH (security_invoker='true') AS
 SELECT outcomes.profile_id,
    outcomes.id,
    outcomes.customer_id,
    outcomes.occurred_at AS paid_at,
    outcomes.amount,
    outcomes.currency,
    outcomes.subject_ref,
    outcomes.is_installment,
    outcomes.is_first_payment,
    outcomes.purchase_id
   FROM public.outcomes
  WHERE (outcomes.is_first_payment IS NOT NULL);

CREATE TABLE public.pending_selections (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    provider text NOT NULL,
    app_id uuid,
    parked bytea,
    parked_until timestamp with time zone,
    candidate_count integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    candidate_id text,
    connection_id uuid,
    CONSTRAINT pending_selections_check CHECK (((parked IS NULL) = (parked_until IS NULL))),
    CONSTRAINT pending_selections_check1 CHECK (((candidate_id IS NULL) = (connection_id IS NULL)))
);

ALTER TABLE ONLY public.pending_selections FORCE ROW LEVEL SECURITY;

CREATE TABLE public.pii_access_log (
    workspace_id uuid NOT NULL,
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_kind text NOT NULL,
    actor_id uuid NOT NULL,
    operation text NOT NULL,
    people integer NOT NULL,
    result text NOT NULL,
    request_id text NOT NULL,
    CONSTRAINT pii_access_log_result_check CHECK ((result = ANY (ARRAY['served'::text, 'refused'::text])))
);

ALTER TABLE ONLY public.pii_access_log FORCE ROW LEVEL SECURITY;

CREATE TABLE public.profile_settings_history (
    profile_id uuid NOT NULL,
    replaced_at timestamp with time zone NOT NULL,
    time_zone text NOT NULL,
    reporting_currency text NOT NULL
);

ALTER TABLE ONLY public.profile_settings_history FORCE ROW LEVEL SECURITY;

CREATE TABLE public.profiles_with_ads (
    profile_id uuid NOT NULL
);

ALTER TABLE ONLY public.profiles_with_ads FORCE ROW LEVEL SECURITY;

CREATE TABLE public.provider_pauses (
    channel text NOT NULL,
    until timestamp with time zone NOT NULL
);

CREATE TABLE public.reconciliation_differences (
    profile_id uuid NOT NULL,
    reconciliation_id uuid NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    subject_id uuid,
    day date NOT NULL,
    in_ledger numeric,
    in_columns numeric,
    book text DEFAULT 'columns'::text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    note text,
    currency text,
    channel text,
    connection_id uuid,
    external_id text,
    level text,
    model text,
    at_provider numeric,
    in_reports numeric,
    CONSTRAINT reconciliation_differences_state_check CHECK ((state = ANY (ARRAY['open'::text, 'pending'::text, 'explained'::text])))
);

ALTER TABLE ONLY public.reconciliation_differences FORCE ROW LEVEL SECURITY;

CREATE TABLE public.reconciliations (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    state text NOT NULL,
    is_nightly boolean NOT NULL,
    date_from date NOT NULL,
    date_to date NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    days jsonb DEFAULT '[]'::jsonb NOT NULL,
    differences integer DEFAULT 0 NOT NULL,
    pending integer DEFAULT 0 NOT NULL,
    books text[] DEFAULT '{columns}'::text[] NOT NULL,
    unread jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT reconciliations_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.reconciliations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.refused_visits (
    profile_id uuid NOT NULL,
    day date NOT NULL,
    reason text NOT NULL,
    teller uuid NOT NULL,
    visits bigint NOT NULL
);

ALTER TABLE ONLY public.refused_visits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.report_mail_deliveries (
    profile_id uuid NOT NULL,
    mail_id uuid NOT NULL,
    sent_for timestamp with time zone NOT NULL,
    user_id uuid NOT NULL,
    date_from date NOT NULL,
    date_to date NOT NULL,
    state text NOT NULL,
    reason text,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    CONSTRAINT report_mail_deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sending'::text, 'sent'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.report_mail_deliveries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.report_mails (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    page text NOT NULL,
    model text NOT NULL,
    every text NOT NULL,
    language text NOT NULL,
    recipients uuid[] NOT NULL,
    made_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    CONSTRAINT report_mails_every_check CHECK ((every = ANY (ARRAY['day'::text, 'week'::text, 'month'::text])))
);

ALTER TABLE ONLY public.report_mails FORCE ROW LEVEL SECURITY;

CREATE TABLE public.said_together (
    profile_id uuid NOT NULL,
    one uuid NOT NULL,
    other uuid NOT NULL,
    said_at timestamp with time zone NOT NULL,
    number bigint NOT NULL,
    source text NOT NULL,
    request_id uuid,
    said_kinds text[] NOT NULL
);

ALTER TABLE ONLY public.said_together FORCE ROW LEVEL SECURITY;

ALTER TABLE public.said_together ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.said_together_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.sale_batches (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    decision text NOT NULL,
    matches integer NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    undone_at timestamp with time zone,
    CONSTRAINT sale_batches_decision_check CHECK ((decision = ANY (ARRAY['confirmed'::text, 'rejected'::text])))
);

ALTER TABLE ONLY public.sale_batches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sale_decisions (
    profile_id uuid NOT NULL,
    first_id uuid NOT NULL,
    second_id uuid NOT NULL,
    decision text NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    batch_id uuid,
    CONSTRAINT sale_decisions_decision_check CHECK ((decision = ANY (ARRAY['confirmed'::text, 'rejected'::text])))
);

ALTER TABLE ONLY public.sale_decisions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sale_matches (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    first_id uuid NOT NULL,
    second_id uuid NOT NULL,
    first_source text NOT NULL COLLATE pg_catalog."C",
    second_source text NOT NULL COLLATE pg_catalog."C",
    evidence text NOT NULL,
    reference text,
    apart_ms bigint NOT NULL,
    is_certain boolean NOT NULL,
    is_likely boolean NOT NULL,
    state text NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone,
    CONSTRAINT sale_matches_evidence_check CHECK ((evidence = ANY (ARRAY['reference'::text, 'customer'::text, 'decision'::text]))),
    CONSTRAINT sale_matches_state_check CHECK ((state = ANY (ARRAY['automatic'::text, 'confirmed'::text, 'suggested'::text, 'rejected'::text])))
);

ALTER TABLE ONLY public.sale_matches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sale_overlaps (
    profile_id uuid NOT NULL,
    first_source text NOT NULL COLLATE pg_catalog."C",
    second_source text NOT NULL COLLATE pg_catalog."C",
    records integer DEFAULT 0 NOT NULL,
    partners integer DEFAULT 0 NOT NULL,
    is_systematic boolean DEFAULT false NOT NULL,
    is_never boolean DEFAULT false NOT NULL,
    found_at timestamp with time zone,
    noticed_at timestamp with time zone,
    noticed_day date
);

ALTER TABLE ONLY public.sale_overlaps FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sale_records (
    profile_id uuid NOT NULL,
    outcome_id uuid NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    occurred_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.sale_records FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sale_references (
    profile_id uuid NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C",
    outcome_id uuid NOT NULL,
    level text NOT NULL,
    CONSTRAINT sale_references_level_check CHECK ((level = ANY (ARRAY['payment'::text, 'order'::text])))
);

ALTER TABLE ONLY public.sale_references FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sale_rescans (
    profile_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    is_matched boolean NOT NULL,
    after_id uuid
);

ALTER TABLE ONLY public.sale_rescans FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sale_settings (
    profile_id uuid NOT NULL,
    preference text[] NOT NULL,
    window_minutes integer NOT NULL
);

ALTER TABLE ONLY public.sale_settings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sale_sources (
    profile_id uuid NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    connection_id uuid,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    scanned_at timestamp with time zone,
    decision text,
    decided_at timestamp with time zone,
    excluded_from timestamp with time zone,
    CONSTRAINT sale_sources_decision_check CHECK ((decision = ANY (ARRAY['count_once'::text, 'count_both'::text])))
);

ALTER TABLE ONLY public.sale_sources FORCE ROW LEVEL SECURITY;

CREATE TABLE public.saved_views (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    page text NOT NULL,
    search text NOT NULL,
    saved_by uuid NOT NULL,
    saved_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.saved_views FORCE ROW LEVEL SECURITY;

CREATE TABLE public.score_rebuilds (
    profile_id uuid NOT NULL,
    rebuilt_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    is_due boolean DEFAULT false NOT NULL,
    windows jsonb DEFAULT '{}'::jsonb NOT NULL
);

ALTER TABLE ONLY public.score_rebuilds FORCE ROW LEVEL SECURITY;

CREATE TABLE public.search_terms (
    profile_id uuid NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C",
    customer_id uuid NOT NULL
);

ALTER TABLE ONLY public.search_terms FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token text NOT NULL,
    ip_address text,
    user_agent text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone
);

CREATE TABLE public.shared_views (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    hash bytea NOT NULL,
    name text NOT NULL,
    page text NOT NULL,
    search text NOT NULL,
    date_from date NOT NULL,
    date_to date NOT NULL,
    made_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone
);

ALTER TABLE ONLY public.shared_views FORCE ROW LEVEL SECURITY;

CREATE TABLE public.site_searches (
    profile_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    day date NOT NULL,
    hash bytea NOT NULL,
    query text NOT NULL,
    page text NOT NULL,
    clicks bigint NOT NULL,
    impressions bigint NOT NULL,
    "position" numeric NOT NULL,
    reading text DEFAULT ''::text NOT NULL
);

ALTER TABLE ONLY public.site_searches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.syncs (
    profile_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    channel text NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    wishes bigint DEFAULT 1 NOT NULL,
    "position" jsonb,
    progress real,
    failures integer DEFAULT 0 NOT NULL,
    last_run_at timestamp with time zone,
    last_success_at timestamp with time zone,
    last_error text,
    run bigint DEFAULT 0 NOT NULL,
    rejected_count integer DEFAULT 0 NOT NULL,
    rejected jsonb DEFAULT '[]'::jsonb NOT NULL,
    failing_since timestamp with time zone,
    CONSTRAINT syncs_state_check CHECK ((state = ANY (ARRAY['idle'::text, 'queued'::text, 'running'::text, 'failed'::text])))
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.syncs FORCE ROW LEVEL SECURITY;

CREATE TABLE public.tracking_domains (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    domain text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    verdict text,
    checked_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT tracking_domains_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'verified'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.tracking_domains FORCE ROW LEVEL SECURITY;

CREATE TABLE public.tracking_keys (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    identify_secret bytea
);

ALTER TABLE ONLY public.tracking_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.tracking_settings (
    profile_id uuid NOT NULL,
    allowed_hosts text[] DEFAULT '{}'::text[] NOT NULL,
    own_hosts text[] DEFAULT '{}'::text[] NOT NULL,
    redirect_hosts text[] DEFAULT '{}'::text[] NOT NULL,
    is_consent_required boolean DEFAULT false NOT NULL,
    keeps_city boolean DEFAULT true NOT NULL,
    daily_visit_quota integer,
    updated_at timestamp with time zone NOT NULL,
    is_signed_identify_required boolean DEFAULT false NOT NULL,
    CONSTRAINT tracking_settings_daily_visit_quota_check CHECK ((daily_visit_quota > 0))
);

ALTER TABLE ONLY public.tracking_settings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.tracking_verifications (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    nonce text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    is_snippet_present boolean,
    fetch_verdict text,
    started_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    verified_at timestamp with time zone
);

ALTER TABLE ONLY public.tracking_verifications FORCE ROW LEVEL SECURITY;

CREATE TABLE public.two_factors (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    secret text NOT NULL,
    backup_codes text NOT NULL,
    verified boolean DEFAULT false NOT NULL,
    failed_verification_count integer DEFAULT 0 NOT NULL,
    locked_until timestamp with time zone
);

CREATE TABLE public.verifications (
    id uuid NOT NULL,
    identifier text NOT NULL,
    value text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.visitor_links (
    profile_id uuid NOT NULL,
    visitor_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    source text NOT NULL,
    linked_at timestamp with time zone NOT NULL,
    moved_from uuid,
    is_signed boolean DEFAULT false NOT NULL,
    CONSTRAINT visitor_links_source_check CHECK ((source = ANY (ARRAY['identify'::text, 'link_token'::text, 'event'::text, 'ad_referral'::text, 'declared_source'::text])))
);

ALTER TABLE ONLY public.visitor_links FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_deliveries (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    sequence bigint,
    test_data jsonb,
    status text NOT NULL,
    due_at timestamp with time zone,
    attempts smallint DEFAULT 0 NOT NULL,
    attempt_log jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    touched_at timestamp with time zone NOT NULL,
    CONSTRAINT webhook_deliveries_check CHECK (((status = 'waiting'::text) = (due_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_check1 CHECK (((sequence IS NULL) = (test_data IS NOT NULL))),
    CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text, 'withheld'::text, 'set_aside'::text])))
)
WITH (fillfactor='85');

ALTER TABLE ONLY public.webhook_deliveries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_subscriptions (
    profile_id uuid NOT NULL,
    id uuid NOT NULL,
    app_id uuid,
    url text NOT NULL,
    events text[] NOT NULL,
    providers text[] NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    disabled_reason text,
    secrets bytea NOT NULL,
    "position" bigint NOT NULL,
    since jsonb DEFAULT '{}'::jsonb NOT NULL,
    consecutive_failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    paused_until timestamp with time zone,
    last_delivery_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT webhook_subscriptions_check CHECK (((status = 'disabled'::text) = (disabled_reason IS NOT NULL))),
    CONSTRAINT webhook_subscriptions_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['by_hand'::text, 'gone'::text, 'failing'::text]))),
    CONSTRAINT webhook_subscriptions_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);

ALTER TABLE ONLY public.webhook_subscriptions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_work (
    profile_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    due_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    version bigint DEFAULT 1 NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.webhook_work FORCE ROW LEVEL SECURITY;

CREATE TABLE public.work_set_aside (
    queue text NOT NULL,
    key uuid NOT NULL,
    item text NOT NULL,
    reason text NOT NULL,
    set_aside_at timestamp with time zone DEFAULT now() NOT NULL,
    is_wanted boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY public.work_set_aside FORCE ROW LEVEL SECURITY;

CREATE TABLE public.work_turns (
    queue text NOT NULL,
    key uuid NOT NULL,
    is_waiting boolean DEFAULT true NOT NULL,
    waiting_since timestamp with time zone DEFAULT now() NOT NULL,
    due timestamp with time zone DEFAULT now() NOT NULL,
    holder uuid,
    until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_fault text
);

ALTER TABLE ONLY public.work_turns FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_provider_id_account_id_key UNIQUE (provider_id, account_id);

ALTER TABLE ONLY public.ad_action_entries
    ADD CONSTRAINT ad_action_entries_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.ad_actions
    ADD CONSTRAINT ad_actions_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.ad_actions
    ADD CONSTRAINT ad_actions_profile_id_key_hash_key UNIQUE (profile_id, key_hash);

ALTER TABLE ONLY public.ad_delivery_history
    ADD CONSTRAINT ad_delivery_history_pkey PRIMARY KEY (profile_id, entity_id, day, revision);

ALTER TABLE ONLY public.ad_delivery
    ADD CONSTRAINT ad_delivery_pkey PRIMARY KEY (profile_id, entity_id, day);

ALTER TABLE ONLY public.ad_entities_history
    ADD CONSTRAINT ad_entities_history_pkey PRIMARY KEY (profile_id, id, revision);

ALTER TABLE ONLY public.ad_entities
    ADD CONSTRAINT ad_entities_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.alert_mails
    ADD CONSTRAINT alert_mails_pkey PRIMARY KEY (profile_id, alert_id, moment, user_id);

ALTER TABLE ONLY public.alert_wishes
    ADD CONSTRAINT alert_wishes_pkey PRIMARY KEY (profile_id, user_id);

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.app_tokens
    ADD CONSTRAINT app_tokens_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.apps
    ADD CONSTRAINT apps_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.attribution_freshness
    ADD CONSTRAINT attribution_freshness_pkey PRIMARY KEY (profile_id);

ALTER TABLE ONLY public.attribution_replays
    ADD CONSTRAINT attribution_replays_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (workspace_id, sequence);

ALTER TABLE ONLY public.bad_visit_days
    ADD CONSTRAINT bad_visit_days_pkey PRIMARY KEY (profile_id, day);

ALTER TABLE ONLY public.bad_visits
    ADD CONSTRAINT bad_visits_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.campaign_tactics
    ADD CONSTRAINT campaign_tactics_pkey PRIMARY KEY (profile_id, entity_id);

ALTER TABLE ONLY public.closings
    ADD CONSTRAINT closings_pkey PRIMARY KEY (profile_id, month);

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.creative_analyses
    ADD CONSTRAINT creative_analyses_pkey PRIMARY KEY (profile_id, ad_id);

ALTER TABLE ONLY public.creative_pictures
    ADD CONSTRAINT creative_pictures_pkey PRIMARY KEY (profile_id, ad_id);

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.definition_events
    ADD CONSTRAINT definition_events_pkey PRIMARY KEY (profile_id, event_key);

ALTER TABLE ONLY public.definitions
    ADD CONSTRAINT definitions_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.definitions
    ADD CONSTRAINT definitions_profile_id_key_key UNIQUE (profile_id, key);

ALTER TABLE ONLY public.dirty_conversions
    ADD CONSTRAINT dirty_conversions_pkey PRIMARY KEY (profile_id, outcome_id);

ALTER TABLE ONLY public.dirty_customers
    ADD CONSTRAINT dirty_customers_pkey PRIMARY KEY (profile_id, customer_id);

ALTER TABLE ONLY public.dirty_delivery
    ADD CONSTRAINT dirty_delivery_pkey PRIMARY KEY (profile_id, entity_id, day);

ALTER TABLE ONLY public.dirty_entities
    ADD CONSTRAINT dirty_entities_pkey PRIMARY KEY (profile_id, entity_id);

ALTER TABLE ONLY public.dirty_sales
    ADD CONSTRAINT dirty_sales_pkey PRIMARY KEY (profile_id, outcome_id);

ALTER TABLE ONLY public.erasure_work
    ADD CONSTRAINT erasure_work_pkey PRIMARY KEY (profile_id, erasure_id);

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_profile_id_request_ref_key UNIQUE (profile_id, request_ref);

ALTER TABLE ONLY public.event_counter
    ADD CONSTRAINT event_counter_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.event_log
    ADD CONSTRAINT event_log_pkey PRIMARY KEY (profile_id, sequence);

ALTER TABLE ONLY public.exchange_rates_history
    ADD CONSTRAINT exchange_rates_history_pkey PRIMARY KEY (currency, day, replaced_at);

ALTER TABLE ONLY public.exchange_rates
    ADD CONSTRAINT exchange_rates_pkey PRIMARY KEY (currency, day);

ALTER TABLE ONLY public.experiments
    ADD CONSTRAINT experiments_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.export_events
    ADD CONSTRAINT export_events_pkey PRIMARY KEY (profile_id, target_id, outcome_id);

ALTER TABLE ONLY public.export_runs
    ADD CONSTRAINT export_runs_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.export_runs
    ADD CONSTRAINT export_runs_profile_id_target_id_scheduled_at_key UNIQUE (profile_id, target_id, scheduled_at);

ALTER TABLE ONLY public.export_targets
    ADD CONSTRAINT export_targets_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.export_targets
    ADD CONSTRAINT export_targets_profile_id_connection_id_key UNIQUE (profile_id, connection_id);

ALTER TABLE ONLY public.first_account
    ADD CONSTRAINT first_account_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (profile_id, app_id);

ALTER TABLE ONLY public.handoffs
    ADD CONSTRAINT handoffs_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.idempotent_answer_people
    ADD CONSTRAINT idempotent_answer_people_pkey PRIMARY KEY (owner_id, customer_id, key_hash);

ALTER TABLE ONLY public.idempotent_answers
    ADD CONSTRAINT idempotent_answers_pkey PRIMARY KEY (owner_id, key_hash);

ALTER TABLE ONLY public.identifiers
    ADD CONSTRAINT identifiers_pkey PRIMARY KEY (profile_id, kind, value);

ALTER TABLE ONLY public.identity_conflicts
    ADD CONSTRAINT identity_conflicts_pkey PRIMARY KEY (profile_id, kind, value, customer_id);

ALTER TABLE ONLY public.installation_audit_log
    ADD CONSTRAINT installation_audit_log_pkey PRIMARY KEY (sequence);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.journey_summaries
    ADD CONSTRAINT journey_summaries_pkey PRIMARY KEY (profile_id, person_id);

ALTER TABLE ONLY public.kept_apart
    ADD CONSTRAINT kept_apart_pkey PRIMARY KEY (profile_id, one, other);

ALTER TABLE ONLY public.key_ring
    ADD CONSTRAINT key_ring_pkey PRIMARY KEY (purpose, id);

ALTER TABLE ONLY public.last_visits
    ADD CONSTRAINT last_visits_pkey PRIMARY KEY (profile_id);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (workspace_id, user_id);

ALTER TABLE ONLY public.merge_proposals
    ADD CONSTRAINT merge_proposals_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.merge_proposals
    ADD CONSTRAINT merge_proposals_profile_id_one_other_key UNIQUE (profile_id, one, other);

ALTER TABLE ONLY public.merges
    ADD CONSTRAINT merges_pkey PRIMARY KEY (profile_id, loser_id, merged_at);

ALTER TABLE ONLY public.model_allowances
    ADD CONSTRAINT model_allowances_pkey PRIMARY KEY (workspace_id, day);

ALTER TABLE ONLY public.model_fits
    ADD CONSTRAINT model_fits_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.moved_conversions
    ADD CONSTRAINT moved_conversions_pkey PRIMARY KEY (profile_id, outcome_id, left_time);

ALTER TABLE ONLY public.moved_tenants
    ADD CONSTRAINT moved_tenants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.oauth_access_tokens
    ADD CONSTRAINT oauth_access_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.oauth_access_tokens
    ADD CONSTRAINT oauth_access_tokens_token_key UNIQUE (token);

ALTER TABLE ONLY public.oauth_client_assertions
    ADD CONSTRAINT oauth_client_assertions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.oauth_client_resources
    ADD CONSTRAINT oauth_client_resources_client_id_resource_id_key UNIQUE (client_id, resource_id);

ALTER TABLE ONLY public.oauth_client_resources
    ADD CONSTRAINT oauth_client_resources_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.oauth_clients
    ADD CONSTRAINT oauth_clients_client_id_key UNIQUE (client_id);

ALTER TABLE ONLY public.oauth_clients
    ADD CONSTRAINT oauth_clients_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.oauth_consents
    ADD CONSTRAINT oauth_consents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.oauth_refresh_tokens
    ADD CONSTRAINT oauth_refresh_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.oauth_refresh_tokens
    ADD CONSTRAINT oauth_refresh_tokens_token_key UNIQUE (token);

ALTER TABLE ONLY public.oauth_resources
    ADD CONSTRAINT oauth_resources_identifier_key UNIQUE (identifier);

ALTER TABLE ONLY public.oauth_resources
    ADD CONSTRAINT oauth_resources_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.outcome_totals
    ADD CONSTRAINT outcome_totals_pkey PRIMARY KEY (profile_id, customer_id, event_key, event_type_key, currency);

ALTER TABLE public.outcomes
    ADD CONSTRAINT outcomes_named_whole CHECK (((named_kind IS NULL) = (named_value IS NULL))) NOT VALID;

ALTER TABLE ONLY public.outcomes
    ADD CONSTRAINT outcomes_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.outcomes
    ADD CONSTRAINT outcomes_profile_id_idempotency_key_key UNIQUE (profile_id, idempotency_key);

ALTER TABLE public.outcomes
    ADD CONSTRAINT outcomes_region_code CHECK ((region ~ '^[A-Z]{2}-[A-Z0-9]{1,3}$'::text)) NOT VALID;

ALTER TABLE ONLY public.outcomes_without_rate
    ADD CONSTRAINT outcomes_without_rate_pkey PRIMARY KEY (profile_id, outcome_id);

ALTER TABLE ONLY public.partner_touches
    ADD CONSTRAINT partner_touches_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.partner_touches
    ADD CONSTRAINT partner_touches_profile_id_kind_told_hash_key UNIQUE (profile_id, kind, told_hash);

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id);

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.payment_entries
    ADD CONSTRAINT payment_entries_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.payment_refunds
    ADD CONSTRAINT payment_refunds_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.payment_refunds
    ADD CONSTRAINT payment_refunds_profile_id_idempotency_key_key UNIQUE (profile_id, idempotency_key);

ALTER TABLE ONLY public.pending_selections
    ADD CONSTRAINT pending_selections_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.pending_selections
    ADD CONSTRAINT pending_selections_profile_id_provider_key UNIQUE (profile_id, provider);

ALTER TABLE ONLY public.pii_access_log
    ADD CONSTRAINT pii_access_log_pkey PRIMARY KEY (workspace_id, at, id);

ALTER TABLE ONLY public.profile_settings_history
    ADD CONSTRAINT profile_settings_history_pkey PRIMARY KEY (profile_id, replaced_at);

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.profiles_with_ads
    ADD CONSTRAINT profiles_with_ads_pkey PRIMARY KEY (profile_id);

ALTER TABLE ONLY public.provider_pauses
    ADD CONSTRAINT provider_pauses_pkey PRIMARY KEY (channel);

ALTER TABLE ONLY public.reconciliation_differences
    ADD CONSTRAINT reconciliation_differences_pkey PRIMARY KEY (profile_id, reconciliation_id, number);

ALTER TABLE ONLY public.reconciliations
    ADD CONSTRAINT reconciliations_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.refused_visits
    ADD CONSTRAINT refused_visits_pkey PRIMARY KEY (profile_id, day, reason, teller);

ALTER TABLE ONLY public.report_mail_deliveries
    ADD CONSTRAINT report_mail_deliveries_pkey PRIMARY KEY (profile_id, mail_id, sent_for, user_id);

ALTER TABLE ONLY public.report_mails
    ADD CONSTRAINT report_mails_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.said_together
    ADD CONSTRAINT said_together_pkey PRIMARY KEY (profile_id, one, other);

ALTER TABLE ONLY public.sale_batches
    ADD CONSTRAINT sale_batches_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.sale_decisions
    ADD CONSTRAINT sale_decisions_pkey PRIMARY KEY (profile_id, first_id, second_id);

ALTER TABLE ONLY public.sale_matches
    ADD CONSTRAINT sale_matches_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.sale_overlaps
    ADD CONSTRAINT sale_overlaps_pkey PRIMARY KEY (profile_id, first_source, second_source);

ALTER TABLE ONLY public.sale_records
    ADD CONSTRAINT sale_records_pkey PRIMARY KEY (profile_id, outcome_id);

ALTER TABLE ONLY public.sale_references
    ADD CONSTRAINT sale_references_pkey PRIMARY KEY (profile_id, value, outcome_id);

ALTER TABLE ONLY public.sale_rescans
    ADD CONSTRAINT sale_rescans_pkey PRIMARY KEY (profile_id, source);

ALTER TABLE ONLY public.sale_settings
    ADD CONSTRAINT sale_settings_pkey PRIMARY KEY (profile_id);

ALTER TABLE ONLY public.sale_sources
    ADD CONSTRAINT sale_sources_pkey PRIMARY KEY (profile_id, source);

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_profile_id_name_key UNIQUE (profile_id, name);

ALTER TABLE ONLY public.score_rebuilds
    ADD CONSTRAINT score_rebuilds_pkey PRIMARY KEY (profile_id);

ALTER TABLE ONLY public.search_terms
    ADD CONSTRAINT search_terms_pkey PRIMARY KEY (profile_id, term, customer_id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_token_key UNIQUE (token);

ALTER TABLE ONLY public.shared_views
    ADD CONSTRAINT shared_views_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.site_searches
    ADD CONSTRAINT site_searches_pkey PRIMARY KEY (profile_id, day, connection_id, hash);

ALTER TABLE ONLY public.syncs
    ADD CONSTRAINT syncs_pkey PRIMARY KEY (profile_id, connection_id);

ALTER TABLE ONLY public.tenant_deletions
    ADD CONSTRAINT tenant_deletions_pkey PRIMARY KEY (profile_id);

ALTER TABLE ONLY public.tombstones
    ADD CONSTRAINT tombstones_pkey PRIMARY KEY (profile_id, hash, erasure_id);

ALTER TABLE ONLY public.tracking_domains
    ADD CONSTRAINT tracking_domains_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.tracking_domains
    ADD CONSTRAINT tracking_domains_profile_id_domain_key UNIQUE (profile_id, domain);

ALTER TABLE ONLY public.tracking_keys
    ADD CONSTRAINT tracking_keys_key_key UNIQUE (key);

ALTER TABLE ONLY public.tracking_keys
    ADD CONSTRAINT tracking_keys_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.tracking_settings
    ADD CONSTRAINT tracking_settings_pkey PRIMARY KEY (profile_id);

ALTER TABLE ONLY public.tracking_verifications
    ADD CONSTRAINT tracking_verifications_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.tracking_verifications
    ADD CONSTRAINT tracking_verifications_profile_id_nonce_key UNIQUE (profile_id, nonce);

ALTER TABLE ONLY public.two_factors
    ADD CONSTRAINT two_factors_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.two_factors
    ADD CONSTRAINT two_factors_user_id_key UNIQUE (user_id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.visitor_links
    ADD CONSTRAINT visitor_links_pkey PRIMARY KEY (profile_id, visitor_id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_pkey PRIMARY KEY (profile_id, id);

ALTER TABLE ONLY public.webhook_work
    ADD CONSTRAINT webhook_work_pkey PRIMARY KEY (subscription_id);

ALTER TABLE ONLY public.work_set_aside
    ADD CONSTRAINT work_set_aside_pkey PRIMARY KEY (queue, key, item);

ALTER TABLE ONLY public.work_turns
    ADD CONSTRAINT work_turns_pkey PRIMARY KEY (queue, key);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);

CREATE INDEX accounts_by_user ON public.accounts USING btree (user_id);

CREATE INDEX ad_action_entries_of_action ON public.ad_action_entries USING btree (profile_id, action_id, id);

CREATE INDEX ad_actions_of_entity ON public.ad_actions USING btree (profile_id, platform, level, external_id, turn);

CREATE UNIQUE INDEX ad_actions_under_way ON public.ad_actions USING btree (profile_id, platform, level, external_id) WHERE (due_at IS NOT NULL);

CREATE INDEX ad_delivery_history_by_age ON public.ad_delivery_history USING brin (replaced_at);

CREATE INDEX ad_entities_by_external_id ON public.ad_entities USING btree (profile_id, external_id);

CREATE INDEX ad_entities_by_parent ON public.ad_entities USING btree (profile_id, parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX ad_entities_history_by_age ON public.ad_entities_history USING brin (replaced_at);

CREATE INDEX alert_mails_by_age ON public.alert_mails USING btree (made_at);

CREATE INDEX alert_mails_due ON public.alert_mails USING btree (profile_id, due_at);

CREATE INDEX alerts_by_age ON public.alerts USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE UNIQUE INDEX alerts_one_open ON public.alerts USING btree (profile_id, kind) WHERE (ended_at IS NULL);

CREATE INDEX api_keys_by_expiry ON public.api_keys USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX api_keys_by_hash ON public.api_keys USING btree (hash);

CREATE INDEX api_keys_by_id ON public.api_keys USING btree (id);

CREATE INDEX api_keys_by_revocation ON public.api_keys USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);

CREATE INDEX app_tokens_by_app ON public.app_tokens USING btree (app_id);

CREATE INDEX app_tokens_by_expiry ON public.app_tokens USING btree (expires_at);

CREATE INDEX app_tokens_by_profile ON public.app_tokens USING btree (profile_id);

CREATE INDEX attribution_freshness_behind ON public.attribution_freshness USING btree (profile_id) WHERE (state = 'behind'::text);

CREATE INDEX attribution_replays_by_end ON public.attribution_replays USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX attribution_replays_newest ON public.attribution_replays USING btree (profile_id, requested_at DESC, id DESC);

CREATE INDEX attribution_replays_of_rules ON public.attribution_replays USING btree (profile_id) WHERE ((cause = 'rules'::text) AND (state <> 'done'::text));

CREATE INDEX bad_visit_days_by_day ON public.bad_visit_days USING btree (day);

CREATE INDEX bad_visits_by_age ON public.bad_visits USING btree (received_at);

CREATE INDEX bad_visits_by_time ON public.bad_visits USING btree (profile_id, received_at, id);

CREATE UNIQUE INDEX connections_by_account ON public.connections USING btree (workspace_id, channel, external_id) WHERE (status <> 'disconnected'::text);

CREATE INDEX connections_by_outside ON public.connections USING btree (channel, external_id) WHERE (status <> 'disconnected'::text);

CREATE INDEX creative_pictures_by_try ON public.creative_pictures USING btree (tried_at);

CREATE INDEX customers_by_survivor ON public.customers USING btree (profile_id, merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX definition_events_by_definition ON public.definition_events USING btree (profile_id, definition_id);

CREATE UNIQUE INDEX definitions_by_stage ON public.definitions USING btree (profile_id, channel, pipeline_id, stage_id) WHERE (kind = 'pipeline_stage'::text);

CREATE INDEX dirty_conversions_by_revision ON public.dirty_conversions USING btree (profile_id, revision);

CREATE INDEX dirty_sales_in_order ON public.dirty_sales USING btree (profile_id, is_matched, revision);

CREATE INDEX erasures_by_time ON public.erasures USING btree (profile_id, requested_at DESC, id DESC);

CREATE INDEX event_log_by_life ON public.event_log USING btree (kept_from);

CREATE INDEX event_log_by_type ON public.event_log USING btree (profile_id, type, sequence);

CREATE INDEX exchange_rates_history_by_time ON public.exchange_rates_history USING btree (replaced_at);

CREATE INDEX experiments_of_entities ON public.experiments USING gin (entity_ids) WHERE (state = 'ended'::text);

CREATE INDEX export_events_by_age ON public.export_events USING brin (scheduled_at);

CREATE INDEX export_events_by_run ON public.export_events USING btree (profile_id, target_id, scheduled_at, status);

CREATE INDEX export_events_by_time ON public.export_events USING btree (scheduled_at);

CREATE INDEX export_events_due ON public.export_events USING btree (profile_id, due_at) WHERE (status = ANY (ARRAY['waiting'::text, 'processing'::text]));

CREATE INDEX export_runs_by_age ON public.export_runs USING brin (scheduled_at);

CREATE INDEX export_runs_by_time ON public.export_runs USING btree (scheduled_at);

CREATE INDEX handoffs_by_capability ON public.handoffs USING btree (capability_hash);

CREATE INDEX handoffs_by_life ON public.handoffs USING btree (completed_at);

CREATE INDEX handoffs_open ON public.handoffs USING btree (expires_at) WHERE (status = 'pending'::text);

CREATE INDEX idempotent_answer_people_by_key ON public.idempotent_answer_people USING btree (owner_id, key_hash);

CREATE INDEX idempotent_answers_by_expiry ON public.idempotent_answers USING btree (expires_at);

CREATE INDEX identifiers_by_customer ON public.identifiers USING btree (profile_id, customer_id, kind);

CREATE UNIQUE INDEX identifiers_one_national_id ON public.identifiers USING btree (profile_id, customer_id) WHERE (kind = 'national_id'::text);

CREATE INDEX identity_conflicts_by_customer ON public.identity_conflicts USING btree (profile_id, customer_id);

CREATE INDEX invitations_by_expiry ON public.invitations USING btree (expires_at);

CREATE INDEX invitations_by_hash ON public.invitations USING btree (hash);

CREATE INDEX kept_apart_by_one ON public.kept_apart USING btree (profile_id, one_is);

CREATE INDEX kept_apart_by_other ON public.kept_apart USING btree (profile_id, other_is);

CREATE INDEX kept_apart_by_second ON public.kept_apart USING btree (profile_id, other);

CREATE INDEX members_by_user ON public.members USING btree (user_id);

CREATE INDEX merge_proposals_by_other ON public.merge_proposals USING btree (profile_id, other);

CREATE INDEX merge_proposals_by_state ON public.merge_proposals USING btree (profile_id, state, proposed_at, id);

CREATE INDEX merges_by_end ON public.merges USING btree (profile_id, COALESCE(named_one, loser_id));

CREATE UNIQUE INDEX merges_by_id ON public.merges USING btree (profile_id, id);

CREATE INDEX merges_by_size ON public.merges USING btree (profile_id, (((moved_identifiers + moved_browsers) + moved_outcomes)), id);

CREATE INDEX merges_by_survivor ON public.merges USING btree (profile_id, survivor_id);

CREATE INDEX model_allowances_by_day ON public.model_allowances USING btree (day);

CREATE INDEX model_fits_by_end ON public.model_fits USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX model_fits_latest ON public.model_fits USING btree (profile_id, requested_at DESC);

CREATE UNIQUE INDEX model_fits_waiting ON public.model_fits USING btree (profile_id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX oauth_access_tokens_by_client ON public.oauth_access_tokens USING btree (client_id);

CREATE INDEX oauth_access_tokens_by_code ON public.oauth_access_tokens USING btree (authorization_code_id);

CREATE INDEX oauth_access_tokens_by_profile ON public.oauth_access_tokens USING btree (reference_id);

CREATE INDEX oauth_access_tokens_by_session ON public.oauth_access_tokens USING btree (session_id);

CREATE INDEX oauth_client_assertions_by_expiry ON public.oauth_client_assertions USING btree (expires_at);

CREATE INDEX oauth_client_resources_by_resource ON public.oauth_client_resources USING btree (resource_id);

CREATE INDEX oauth_clients_by_creation ON public.oauth_clients USING btree (created_at);

CREATE INDEX oauth_consents_by_client ON public.oauth_consents USING btree (client_id);

CREATE INDEX oauth_consents_by_profile ON public.oauth_consents USING btree (reference_id);

CREATE INDEX oauth_consents_by_user ON public.oauth_consents USING btree (user_id, client_id, reference_id);

CREATE INDEX oauth_refresh_tokens_by_client ON public.oauth_refresh_tokens USING btree (client_id);

CREATE INDEX oauth_refresh_tokens_by_session ON public.oauth_refresh_tokens USING btree (session_id);

CREATE INDEX outcomes_by_customer ON public.outcomes USING btree (profile_id, customer_id, occurred_at, id) WHERE (customer_id IS NOT NULL);

CREATE INDEX outcomes_by_event ON public.outcomes USING btree (profile_id, event_key, occurred_at, id);

CREATE UNIQUE INDEX outcomes_by_external_id_and_type ON public.outcomes USING btree (profile_id, source, connection_id, external_id, event_key) NULLS NOT DISTINCT WHERE (external_id IS NOT NULL);

CREATE INDEX outcomes_by_provider_id ON public.outcomes USING btree (profile_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX outcomes_by_said_customer ON public.outcomes USING btree (profile_id, said_customer_id) WHERE (said_customer_id IS NOT NULL);

CREATE INDEX outcomes_by_subject ON public.outcomes USING btree (profile_id, customer_id, subject_ref, occurred_at, id) WHERE ((is_first_payment IS NOT NULL) AND (subject_ref IS NOT NULL));

CREATE INDEX outcomes_by_tag ON public.outcomes USING btree (profile_id, customer_id, (
CASE
    WHEN (subject_ref IS NULL) THEN 0
    ELSE 1
END), occurred_at, id) WHERE (is_first_payment IS NOT NULL);

CREATE INDEX outcomes_by_type ON public.outcomes USING btree (profile_id, event_type_key, occurred_at, id) WHERE (event_type_key <> event_key);

CREATE INDEX outcomes_by_visitor ON public.outcomes USING btree (profile_id, visitor_id, occurred_at, id) WHERE (visitor_id IS NOT NULL);

CREATE INDEX outcomes_duplicates ON public.outcomes USING btree (profile_id, duplicate_of) WHERE (duplicate_of IS NOT NULL);

CREATE INDEX outcomes_tagged_first ON public.outcomes USING btree (profile_id, customer_id, occurred_at, id) WHERE (is_first_payment AND (subject_ref IS NOT NULL));

CREATE INDEX outcomes_uncounted ON public.outcomes USING btree (profile_id, occurred_at) WHERE (uncounted IS NOT NULL);

CREATE INDEX outcomes_unidentified ON public.outcomes USING btree (profile_id, occurred_at, id) WHERE ((customer_id IS NULL) AND (amount IS NOT NULL));

CREATE INDEX outcomes_with_origin ON public.outcomes USING btree (profile_id, customer_id, occurred_at) WHERE (origin IS NOT NULL);

CREATE INDEX outcomes_without_rate_by_time ON public.outcomes_without_rate USING btree (profile_id, occurred_at);

CREATE INDEX partner_touches_by_customer ON public.partner_touches USING btree (profile_id, customer_id, occurred_at, id);

CREATE UNIQUE INDEX partner_touches_one_answer ON public.partner_touches USING btree (profile_id, customer_id) WHERE ((kind = 'declared_source'::text) AND (NOT is_second));

CREATE INDEX passkeys_by_user ON public.passkeys USING btree (user_id);

CREATE INDEX password_resets_by_expiry ON public.password_resets USING btree (expires_at);

CREATE INDEX payment_entries_by_payer ON public.payment_entries USING btree (profile_id, payer_id) WHERE (payer_id IS NOT NULL);

CREATE INDEX payment_entries_by_payment ON public.payment_entries USING btree (profile_id, payment_id, id);

CREATE INDEX payment_refunds_by_payment ON public.payment_refunds USING btree (profile_id, payment_id) WHERE (payment_id IS NOT NULL);

CREATE INDEX payment_refunds_waiting ON public.payment_refunds USING btree (profile_id, id) WHERE (payment_id IS NULL);

CREATE INDEX pending_selections_parked ON public.pending_selections USING btree (parked_until) WHERE (parked_until IS NOT NULL);

CREATE INDEX pii_access_log_by_profile ON public.pii_access_log USING btree (profile_id, at, id);

CREATE INDEX pii_access_log_by_time ON public.pii_access_log USING btree (at);

CREATE INDEX profiles_by_workspace ON public.profiles USING btree (workspace_id, id);

CREATE INDEX reconciliation_differences_explained ON public.reconciliation_differences USING btree (profile_id) WHERE (state = 'explained'::text);

CREATE INDEX reconciliation_differences_said ON public.reconciliation_differences USING btree (profile_id, day, channel) WHERE (book = 'ad_accounts'::text);

CREATE INDEX reconciliations_by_age ON public.reconciliations USING btree (profile_id, requested_at, id);

CREATE INDEX reconciliations_by_time ON public.reconciliations USING btree (requested_at);

CREATE UNIQUE INDEX reconciliations_once_a_night ON public.reconciliations USING btree (profile_id, date_to, date_from) WHERE is_nightly;

CREATE INDEX reconciliations_queued ON public.reconciliations USING btree (profile_id) WHERE (state = 'queued'::text);

CREATE INDEX refused_visits_by_day ON public.refused_visits USING btree (day);

CREATE INDEX report_mail_deliveries_by_age ON public.report_mail_deliveries USING btree (sent_for);

CREATE INDEX report_mail_deliveries_due ON public.report_mail_deliveries USING btree (profile_id, due_at);

CREATE INDEX report_mails_due ON public.report_mails USING btree (profile_id, due_at);

CREATE INDEX said_together_by_other ON public.said_together USING btree (profile_id, other);

CREATE INDEX sale_decisions_by_batch ON public.sale_decisions USING btree (profile_id, batch_id) WHERE (batch_id IS NOT NULL);

CREATE INDEX sale_decisions_by_second ON public.sale_decisions USING btree (profile_id, second_id);

CREATE INDEX sale_matches_by_second ON public.sale_matches USING btree (profile_id, second_id) WHERE (valid_to IS NULL);

CREATE INDEX sale_matches_by_sources ON public.sale_matches USING btree (profile_id, first_source, second_source, is_likely, state) WHERE (valid_to IS NULL);

CREATE UNIQUE INDEX sale_matches_current ON public.sale_matches USING btree (profile_id, first_id, second_id) WHERE (valid_to IS NULL);

CREATE INDEX sale_matches_listed ON public.sale_matches USING btree (profile_id, first_source, second_source, state, id) WHERE (valid_to IS NULL);

CREATE INDEX sale_overlaps_alerted ON public.sale_overlaps USING btree (profile_id) WHERE ((NOT is_never) AND (is_systematic OR (noticed_at IS NOT NULL)));

CREATE INDEX sale_records_by_source ON public.sale_records USING btree (profile_id, source, occurred_at);

CREATE INDEX sale_references_by_outcome ON public.sale_references USING btree (profile_id, outcome_id);

CREATE INDEX score_rebuilds_due ON public.score_rebuilds USING btree (profile_id) WHERE is_due;

CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);

CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id);

CREATE INDEX shared_views_by_expiry ON public.shared_views USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX shared_views_by_hash ON public.shared_views USING btree (hash);

CREATE INDEX shared_views_by_revocation ON public.shared_views USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);

CREATE INDEX site_searches_by_life ON public.site_searches USING btree (day);

CREATE INDEX syncs_by_connection ON public.syncs USING btree (connection_id) INCLUDE (profile_id);

CREATE INDEX syncs_failing ON public.syncs USING btree (profile_id, failing_since) WHERE (failing_since IS NOT NULL);

CREATE INDEX tenant_deletions_of_workspace ON public.tenant_deletions USING btree (workspace_id);

CREATE INDEX tombstones_by_erasure ON public.tombstones USING btree (profile_id, erasure_id);

CREATE INDEX tracking_keys_by_revocation ON public.tracking_keys USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);

CREATE UNIQUE INDEX tracking_keys_one_active ON public.tracking_keys USING btree (profile_id) WHERE (revoked_at IS NULL);

CREATE INDEX tracking_verifications_newest ON public.tracking_verifications USING btree (profile_id, started_at DESC);

CREATE INDEX verifications_by_expiry ON public.verifications USING btree (expires_at);

CREATE INDEX verifications_by_identifier ON public.verifications USING btree (identifier);

CREATE INDEX visitor_links_by_customer ON public.visitor_links USING btree (profile_id, customer_id);

CREATE INDEX webhook_deliveries_by_life ON public.webhook_deliveries USING btree (touched_at);

CREATE INDEX webhook_deliveries_of_subscription ON public.webhook_deliveries USING btree (profile_id, subscription_id, id);

CREATE INDEX webhook_deliveries_undelivered ON public.webhook_deliveries USING btree (profile_id, id) WHERE (status <> 'delivered'::text);

CREATE INDEX webhook_deliveries_waiting ON public.webhook_deliveries USING btree (profile_id, subscription_id, due_at, id) WHERE (status = 'waiting'::text);

CREATE INDEX webhook_work_of_profile ON public.webhook_work USING btree (profile_id, subscription_id);

CREATE INDEX work_set_aside_by_key ON public.work_set_aside USING btree (key);

CREATE INDEX work_set_aside_wanted ON public.work_set_aside USING btree (queue, key) WHERE is_wanted;

CREATE INDEX work_turns_due ON public.work_turns USING btree (queue, due);

CREATE TRIGGER a_lock_first BEFORE UPDATE OF revoked_at, scopes ON public.api_keys FOR EACH STATEMENT EXECUTE FUNCTION public.take_privacy_lock_first();

CREATE TRIGGER a_lock_first BEFORE UPDATE OF oauth_scopes, revoked_at ON public.grants FOR EACH STATEMENT EXECUTE FUNCTION public.take_privacy_lock_first();

CREATE TRIGGER a_lock_first BEFORE UPDATE OF privacy_mode, archived_at ON public.profiles FOR EACH STATEMENT EXECUTE FUNCTION public.take_privacy_lock_first();

CREATE TRIGGER a_lock_first BEFORE UPDATE OF is_healthcare_agency, archived_at ON public.workspaces FOR EACH STATEMENT EXECUTE FUNCTION public.take_privacy_lock_first();

CREATE TRIGGER a_visitors_follow_split AFTER UPDATE OF merged_into ON public.customers FOR EACH ROW WHEN (((new.merged_into IS NULL) AND (old.merged_into IS NOT NULL))) EXECUTE FUNCTION public.links_follow_split();

CREATE TRIGGER access_switch BEFORE UPDATE OF revoked_at, scopes ON public.api_keys FOR EACH ROW EXECUTE FUNCTION public.take_profile_privacy_lock();

CREATE TRIGGER access_switch BEFORE UPDATE OF oauth_scopes, revoked_at ON public.grants FOR EACH ROW EXECUTE FUNCTION public.take_profile_privacy_lock();

CREATE TRIGGER access_switch BEFORE DELETE OR UPDATE OF role ON public.members FOR EACH ROW EXECUTE FUNCTION public.take_workspace_privacy_lock();

CREATE TRIGGER announce_added AFTER INSERT ON public.ad_actions REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_ad_actions();

CREATE TRIGGER announce_added AFTER INSERT ON public.alert_mails REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('alert-mails');

CREATE TRIGGER announce_added AFTER INSERT ON public.dirty_conversions REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('attribution');

CREATE TRIGGER announce_added AFTER INSERT ON public.dirty_customers REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('first-payments');

CREATE TRIGGER announce_added AFTER INSERT ON public.dirty_delivery REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('delivery');

CREATE TRIGGER announce_added AFTER INSERT ON public.dirty_entities REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('delivery');

CREATE TRIGGER announce_added AFTER INSERT ON public.dirty_sales REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('sales');

CREATE TRIGGER announce_added AFTER INSERT ON public.erasure_work REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('erasures');

CREATE TRIGGER announce_added AFTER INSERT ON public.export_events REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('exports');

CREATE TRIGGER announce_added AFTER INSERT ON public.reconciliations REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('reconciliations');

CREATE TRIGGER announce_added AFTER INSERT ON public.report_mail_deliveries REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('report-mails');

CREATE TRIGGER announce_added AFTER INSERT ON public.sale_rescans REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('sales');

CREATE TRIGGER announce_added AFTER INSERT ON public.syncs REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_syncs();

CREATE TRIGGER announce_added AFTER INSERT ON public.tenant_deletions REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('tenant-deletions');

CREATE TRIGGER announce_added AFTER INSERT ON public.webhook_work REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_webhooks();

CREATE TRIGGER announce_changed AFTER UPDATE ON public.ad_actions REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_ad_actions();

CREATE TRIGGER announce_changed AFTER UPDATE ON public.dirty_conversions REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('attribution');

CREATE TRIGGER announce_changed AFTER UPDATE ON public.dirty_customers REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('first-payments');

CREATE TRIGGER announce_changed AFTER UPDATE ON public.dirty_delivery REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('delivery');

CREATE TRIGGER announce_changed AFTER UPDATE ON public.dirty_entities REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('delivery');

CREATE TRIGGER announce_changed AFTER UPDATE ON public.dirty_sales REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('sales');

CREATE TRIGGER announce_changed AFTER UPDATE ON public.sale_rescans REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_waiting('sales');

CREATE TRIGGER announce_changed AFTER UPDATE ON public.syncs REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_syncs();

CREATE TRIGGER announce_changed AFTER DELETE OR UPDATE OF key, revoked_at ON public.tracking_keys FOR EACH ROW EXECUTE FUNCTION public.announce_tracking();

CREATE TRIGGER announce_changed AFTER INSERT OR DELETE OR UPDATE OF allowed_hosts, own_hosts, keeps_city, daily_visit_quota, is_consent_required ON public.tracking_settings FOR EACH ROW EXECUTE FUNCTION public.announce_tracking();

CREATE TRIGGER announce_changed AFTER UPDATE ON public.webhook_work REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION public.announce_webhooks();

CREATE TRIGGER announce_tracking AFTER UPDATE OF archived_at, workspace_id ON public.profiles FOR EACH ROW EXECUTE FUNCTION public.announce_tracking_of_profile();

CREATE TRIGGER announce_tracking AFTER UPDATE OF plan, archived_at ON public.workspaces FOR EACH ROW EXECUTE FUNCTION public.announce_tracking_of_workspace();

CREATE TRIGGER b_partner_touches_follow_split AFTER UPDATE OF merged_into ON public.customers FOR EACH ROW WHEN (((new.merged_into IS NULL) AND (old.merged_into IS NOT NULL))) EXECUTE FUNCTION public.partner_touches_follow_split();

CREATE TRIGGER c_outcomes_follow_split AFTER UPDATE OF merged_into ON public.customers FOR EACH ROW WHEN (((new.merged_into IS NULL) AND (old.merged_into IS NOT NULL))) EXECUTE FUNCTION public.outcomes_follow_split();

CREATE TRIGGER d_summaries_follow_split AFTER UPDATE OF merged_into ON public.customers FOR EACH ROW WHEN (((new.merged_into IS NULL) AND (old.merged_into IS NOT NULL))) EXECUTE FUNCTION public.summaries_follow_split();

CREATE TRIGGER fan_out AFTER INSERT ON public.event_log REFERENCING NEW TABLE AS numbered FOR EACH STATEMENT EXECUTE FUNCTION public.fan_out_events();

CREATE TRIGGER forget_set_aside AFTER DELETE ON public.webhook_subscriptions FOR EACH ROW EXECUTE FUNCTION public.forget_set_aside();

CREATE TRIGGER keep_entity AFTER UPDATE ON public.ad_entities FOR EACH ROW WHEN ((old.revision IS DISTINCT FROM new.revision)) EXECUTE FUNCTION public.keep_entity();

CREATE TRIGGER keep_rate AFTER UPDATE ON public.exchange_rates FOR EACH ROW WHEN (((old.per_usd <> new.per_usd) OR (old.source <> new.source))) EXECUTE FUNCTION public.keep_rate();

CREATE TRIGGER keep_settings AFTER UPDATE OF time_zone, reporting_currency ON public.profiles FOR EACH ROW WHEN (((old.time_zone <> new.time_zone) OR (old.reporting_currency <> new.reporting_currency))) EXECUTE FUNCTION public.keep_settings();

CREATE TRIGGER mark_sales_added AFTER INSERT ON public.outcomes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.mark_sales();

CREATE TRIGGER mark_sales_changed AFTER UPDATE ON public.outcomes REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.mark_sales();

CREATE TRIGGER missing_rate_noted AFTER INSERT OR UPDATE OF amount, currency, occurred_at ON public.outcomes FOR EACH ROW WHEN (((new.amount IS NOT NULL) AND (new.reporting_amount IS NULL))) EXECUTE FUNCTION public.note_missing_rate();

CREATE TRIGGER outcomes_exported AFTER INSERT ON public.outcomes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.export_outcomes();

CREATE TRIGGER outcomes_follow_merge AFTER UPDATE OF merged_into ON public.customers FOR EACH ROW WHEN (((new.merged_into IS NOT NULL) AND (new.merged_into IS DISTINCT FROM old.merged_into))) EXECUTE FUNCTION public.follow_merge();

CREATE TRIGGER outcomes_remember_moved AFTER UPDATE OF occurred_at ON public.outcomes FOR EACH ROW WHEN ((new.occurred_at IS DISTINCT FROM old.occurred_at)) EXECUTE FUNCTION public.remember_moved();

CREATE TRIGGER partner_touches_follow_merge AFTER UPDATE OF merged_into ON public.customers FOR EACH ROW WHEN (((new.merged_into IS NOT NULL) AND (new.merged_into IS DISTINCT FROM old.merged_into))) EXECUTE FUNCTION public.partner_touches_follow_merge();

CREATE TRIGGER privacy_switch BEFORE UPDATE OF privacy_mode, archived_at ON public.profiles FOR EACH ROW EXECUTE FUNCTION public.take_privacy_lock();

CREATE TRIGGER privacy_switch BEFORE UPDATE OF is_healthcare_agency, archived_at ON public.workspaces FOR EACH ROW EXECUTE FUNCTION public.take_privacy_lock();

CREATE TRIGGER profiles_forget_set_aside AFTER DELETE ON public.profiles FOR EACH ROW EXECUTE FUNCTION public.forget_set_aside();

CREATE TRIGGER revoke_on_switch AFTER UPDATE OF privacy_mode ON public.profiles FOR EACH ROW EXECUTE FUNCTION public.on_privacy_switch();

CREATE TRIGGER revoke_on_switch AFTER UPDATE OF is_healthcare_agency ON public.workspaces FOR EACH ROW EXECUTE FUNCTION public.on_privacy_switch();

CREATE TRIGGER summaries_follow_link AFTER INSERT ON public.visitor_links REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.summaries_follow_link();

CREATE TRIGGER summaries_follow_merge AFTER UPDATE OF merged_into ON public.customers FOR EACH ROW WHEN (((new.merged_into IS NOT NULL) AND (new.merged_into IS DISTINCT FROM old.merged_into))) EXECUTE FUNCTION public.summaries_follow_merge();

CREATE TRIGGER terms_of_deleted AFTER DELETE ON public.customers REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.follow_terms();

CREATE TRIGGER terms_of_inserted AFTER INSERT ON public.customers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.follow_terms();

CREATE TRIGGER terms_of_updated AFTER UPDATE ON public.customers REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.follow_terms();

CREATE TRIGGER totals_of_deleted AFTER DELETE ON public.outcomes REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.count_outcomes();

CREATE TRIGGER totals_of_inserted AFTER INSERT ON public.outcomes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.count_outcomes();

CREATE TRIGGER totals_of_updated AFTER UPDATE ON public.outcomes REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.count_outcomes();

CREATE TRIGGER visitors_follow_merge AFTER UPDATE OF merged_into ON public.customers FOR EACH ROW WHEN (((new.merged_into IS NOT NULL) AND (new.merged_into IS DISTINCT FROM old.merged_into))) EXECUTE FUNCTION public.links_follow_merge();

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ad_action_entries
    ADD CONSTRAINT ad_action_entries_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ad_actions
    ADD CONSTRAINT ad_actions_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ad_delivery_history
    ADD CONSTRAINT ad_delivery_history_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ad_delivery
    ADD CONSTRAINT ad_delivery_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ad_entities_history
    ADD CONSTRAINT ad_entities_history_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ad_entities
    ADD CONSTRAINT ad_entities_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.alert_mails
    ADD CONSTRAINT alert_mails_profile_id_alert_id_fkey FOREIGN KEY (profile_id, alert_id) REFERENCES public.alerts(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.alert_wishes
    ADD CONSTRAINT alert_wishes_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.apps(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.app_tokens
    ADD CONSTRAINT app_tokens_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.apps(id);

ALTER TABLE ONLY public.app_tokens
    ADD CONSTRAINT app_tokens_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.attribution_freshness
    ADD CONSTRAINT attribution_freshness_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.attribution_replays
    ADD CONSTRAINT attribution_replays_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.audit_heads
    ADD CONSTRAINT audit_heads_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.bad_visit_days
    ADD CONSTRAINT bad_visit_days_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.bad_visits
    ADD CONSTRAINT bad_visits_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.campaign_tactics
    ADD CONSTRAINT campaign_tactics_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.closings
    ADD CONSTRAINT closings_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.apps(id);

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.creative_analyses
    ADD CONSTRAINT creative_analyses_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.creative_pictures
    ADD CONSTRAINT creative_pictures_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_profile_id_merged_into_fkey FOREIGN KEY (profile_id, merged_into) REFERENCES public.customers(profile_id, id);

ALTER TABLE ONLY public.definition_events
    ADD CONSTRAINT definition_events_profile_id_definition_id_fkey FOREIGN KEY (profile_id, definition_id) REFERENCES public.definitions(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.definitions
    ADD CONSTRAINT definitions_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dirty_conversions
    ADD CONSTRAINT dirty_conversions_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dirty_customers
    ADD CONSTRAINT dirty_customers_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dirty_delivery
    ADD CONSTRAINT dirty_delivery_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dirty_entities
    ADD CONSTRAINT dirty_entities_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dirty_sales
    ADD CONSTRAINT dirty_sales_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.erasure_work
    ADD CONSTRAINT erasure_work_profile_id_erasure_id_fkey FOREIGN KEY (profile_id, erasure_id) REFERENCES public.erasures(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_log
    ADD CONSTRAINT event_log_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.experiments
    ADD CONSTRAINT experiments_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.export_events
    ADD CONSTRAINT export_events_profile_id_target_id_fkey FOREIGN KEY (profile_id, target_id) REFERENCES public.export_targets(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.export_runs
    ADD CONSTRAINT export_runs_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.export_targets
    ADD CONSTRAINT export_targets_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.apps(id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.handoffs
    ADD CONSTRAINT handoffs_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.apps(id);

ALTER TABLE ONLY public.handoffs
    ADD CONSTRAINT handoffs_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idempotent_answer_people
    ADD CONSTRAINT idempotent_answer_people_owner_id_key_hash_fkey FOREIGN KEY (owner_id, key_hash) REFERENCES public.idempotent_answers(owner_id, key_hash) ON DELETE CASCADE;

ALTER TABLE ONLY public.identifiers
    ADD CONSTRAINT identifiers_profile_id_customer_id_fkey FOREIGN KEY (profile_id, customer_id) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.identity_conflicts
    ADD CONSTRAINT identity_conflicts_profile_id_customer_id_fkey FOREIGN KEY (profile_id, customer_id) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.journey_summaries
    ADD CONSTRAINT journey_summaries_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.kept_apart
    ADD CONSTRAINT kept_apart_profile_id_one_fkey FOREIGN KEY (profile_id, one) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.kept_apart
    ADD CONSTRAINT kept_apart_profile_id_other_fkey FOREIGN KEY (profile_id, other) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.last_visits
    ADD CONSTRAINT last_visits_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.merge_proposals
    ADD CONSTRAINT merge_proposals_profile_id_one_fkey FOREIGN KEY (profile_id, one) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.merge_proposals
    ADD CONSTRAINT merge_proposals_profile_id_other_fkey FOREIGN KEY (profile_id, other) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.merges
    ADD CONSTRAINT merges_profile_id_loser_id_fkey FOREIGN KEY (profile_id, loser_id) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.merges
    ADD CONSTRAINT merges_profile_id_survivor_id_fkey FOREIGN KEY (profile_id, survivor_id) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.model_allowances
    ADD CONSTRAINT model_allowances_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.model_fits
    ADD CONSTRAINT model_fits_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.moved_conversions
    ADD CONSTRAINT moved_conversions_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_access_tokens
    ADD CONSTRAINT oauth_access_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.oauth_clients(client_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_access_tokens
    ADD CONSTRAINT oauth_access_tokens_refresh_id_fkey FOREIGN KEY (refresh_id) REFERENCES public.oauth_refresh_tokens(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_access_tokens
    ADD CONSTRAINT oauth_access_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_access_tokens
    ADD CONSTRAINT oauth_access_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_client_resources
    ADD CONSTRAINT oauth_client_resources_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.oauth_clients(client_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_client_resources
    ADD CONSTRAINT oauth_client_resources_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES public.oauth_resources(identifier) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_clients
    ADD CONSTRAINT oauth_clients_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.oauth_consents
    ADD CONSTRAINT oauth_consents_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.oauth_clients(client_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_consents
    ADD CONSTRAINT oauth_consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_refresh_tokens
    ADD CONSTRAINT oauth_refresh_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.oauth_clients(client_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_refresh_tokens
    ADD CONSTRAINT oauth_refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.oauth_refresh_tokens
    ADD CONSTRAINT oauth_refresh_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.outcome_totals
    ADD CONSTRAINT outcome_totals_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.outcomes
    ADD CONSTRAINT outcomes_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.outcomes_without_rate
    ADD CONSTRAINT outcomes_without_rate_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.partner_touches
    ADD CONSTRAINT partner_touches_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.payment_entries
    ADD CONSTRAINT payment_entries_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.payment_refunds
    ADD CONSTRAINT payment_refunds_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pending_selections
    ADD CONSTRAINT pending_selections_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.apps(id);

ALTER TABLE ONLY public.pending_selections
    ADD CONSTRAINT pending_selections_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pii_access_log
    ADD CONSTRAINT pii_access_log_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pii_access_log
    ADD CONSTRAINT pii_access_log_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.profile_settings_history
    ADD CONSTRAINT profile_settings_history_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_governing_app_id_fkey FOREIGN KEY (governing_app_id) REFERENCES public.apps(id);

ALTER TABLE ONLY public.profiles_with_ads
    ADD CONSTRAINT profiles_with_ads_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.reconciliation_differences
    ADD CONSTRAINT reconciliation_differences_profile_id_reconciliation_id_fkey FOREIGN KEY (profile_id, reconciliation_id) REFERENCES public.reconciliations(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.reconciliations
    ADD CONSTRAINT reconciliations_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.refused_visits
    ADD CONSTRAINT refused_visits_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.report_mail_deliveries
    ADD CONSTRAINT report_mail_deliveries_profile_id_mail_id_fkey FOREIGN KEY (profile_id, mail_id) REFERENCES public.report_mails(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.report_mails
    ADD CONSTRAINT report_mails_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.said_together
    ADD CONSTRAINT said_together_profile_id_one_fkey FOREIGN KEY (profile_id, one) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.said_together
    ADD CONSTRAINT said_together_profile_id_other_fkey FOREIGN KEY (profile_id, other) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sale_batches
    ADD CONSTRAINT sale_batches_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sale_decisions
    ADD CONSTRAINT sale_decisions_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sale_matches
    ADD CONSTRAINT sale_matches_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sale_overlaps
    ADD CONSTRAINT sale_overlaps_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sale_records
    ADD CONSTRAINT sale_records_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sale_references
    ADD CONSTRAINT sale_references_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sale_rescans
    ADD CONSTRAINT sale_rescans_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sale_settings
    ADD CONSTRAINT sale_settings_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sale_sources
    ADD CONSTRAINT sale_sources_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.score_rebuilds
    ADD CONSTRAINT score_rebuilds_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.search_terms
    ADD CONSTRAINT search_terms_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.shared_views
    ADD CONSTRAINT shared_views_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.site_searches
    ADD CONSTRAINT site_searches_profile_id_connection_id_fkey FOREIGN KEY (profile_id, connection_id) REFERENCES public.connections(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.site_searches
    ADD CONSTRAINT site_searches_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.syncs
    ADD CONSTRAINT syncs_profile_id_connection_id_fkey FOREIGN KEY (profile_id, connection_id) REFERENCES public.connections(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.syncs
    ADD CONSTRAINT syncs_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tombstones
    ADD CONSTRAINT tombstones_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tracking_domains
    ADD CONSTRAINT tracking_domains_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tracking_keys
    ADD CONSTRAINT tracking_keys_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tracking_settings
    ADD CONSTRAINT tracking_settings_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tracking_verifications
    ADD CONSTRAINT tracking_verifications_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.two_factors
    ADD CONSTRAINT two_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.visitor_links
    ADD CONSTRAINT visitor_links_profile_id_customer_id_fkey FOREIGN KEY (profile_id, customer_id) REFERENCES public.customers(profile_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.visitor_links
    ADD CONSTRAINT visitor_links_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.apps(id);

ALTER TABLE ONLY public.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_work
    ADD CONSTRAINT webhook_work_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE public.ad_action_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ad_actions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ad_delivery ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ad_delivery_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ad_entities ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ad_entities_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.alert_mails ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.alert_wishes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.alerts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.app_tokens ENABLE ROW LEVEL SECURITY;

CREATE POLICY append ON public.audit_heads TO tributary_owner USING (true);

CREATE POLICY append ON public.audit_log TO tributary_owner USING (true);

CREATE POLICY append ON public.installation_audit_log TO tributary_owner USING (true);

ALTER TABLE public.apps ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.attribution_freshness ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.attribution_replays ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_heads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.bad_visit_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.bad_visits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.campaign_tactics ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.closings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.connections ENABLE ROW LEVEL SECURITY;

CREATE POLICY counted ON public.reconciliation_differences FOR SELECT TO tributary_owner USING (true);

ALTER TABLE public.creative_analyses ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.creative_pictures ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.customers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.definition_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.definitions ENABLE ROW LEVEL SECURITY;

CREATE POLICY deleted_tenant ON public.ad_action_entries TO tributary_system USING (public.is_being_deleted(profile_id));

CREATE POLICY deleted_tenant ON public.audit_log TO tributary_system USING (public.is_being_deleted(workspace_id));

CREATE POLICY deleted_tenant ON public.erasures TO tributary_system USING (public.is_being_deleted(profile_id));

CREATE POLICY deleted_tenant ON public.members TO tributary_system USING (public.is_being_deleted(workspace_id));

CREATE POLICY deleted_tenant ON public.payment_entries TO tributary_system USING (public.is_being_deleted(profile_id));

CREATE POLICY deleted_tenant ON public.payment_refunds TO tributary_system USING (public.is_being_deleted(profile_id));

CREATE POLICY deleted_tenant ON public.tombstones TO tributary_system USING (public.is_being_deleted(profile_id));

ALTER TABLE public.dirty_conversions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dirty_customers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dirty_delivery ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dirty_entities ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dirty_sales ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.erasure_work ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.erasures ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.experiments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.export_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.export_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.export_targets ENABLE ROW LEVEL SECURITY;

CREATE POLICY fan_out ON public.webhook_work TO tributary_owner USING (true);

CREATE POLICY forget ON public.work_set_aside TO tributary_owner USING (true);

ALTER TABLE public.grants ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.handoffs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotent_answer_people ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotent_answers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.identifiers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.identity_conflicts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.installation_audit_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invitations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.journey_summaries ENABLE ROW LEVEL SECURITY;

CREATE POLICY keep ON public.profile_settings_history FOR INSERT TO tributary_owner WITH CHECK (true);

ALTER TABLE public.kept_apart ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.last_visits ENABLE ROW LEVEL SECURITY;

CREATE POLICY look_up ON public.api_keys FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.app_tokens TO tributary_owner USING (true);

CREATE POLICY look_up ON public.definition_events FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.definitions FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.grants FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.invitations FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.members FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.outcomes FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.report_mails FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.tenant_deletions FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.tombstones FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.tracking_keys FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.tracking_settings FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.visitor_links FOR SELECT TO tributary_owner USING (true);

CREATE POLICY look_up ON public.work_turns FOR SELECT TO tributary_owner USING (true);

CREATE POLICY mark ON public.dirty_conversions TO tributary_owner USING (true);

ALTER TABLE public.members ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.merge_proposals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.merges ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.model_allowances ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.model_fits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.moved_conversions ENABLE ROW LEVEL SECURITY;

CREATE POLICY nightly ON public.reconciliations TO tributary_owner USING (true);

CREATE POLICY noted ON public.dirty_sales TO tributary_owner USING (true);

CREATE POLICY noted ON public.last_visits TO tributary_owner USING (true);

CREATE POLICY noted ON public.sale_rescans TO tributary_owner USING (true);

CREATE POLICY noted ON public.sale_sources TO tributary_owner USING (true);

CREATE POLICY operator ON public.ad_action_entries TO tributary_owner USING (true);

CREATE POLICY operator ON public.ad_actions TO tributary_owner USING (true);

CREATE POLICY operator ON public.alert_wishes TO tributary_owner USING (true);

CREATE POLICY operator ON public.apps TO tributary_owner USING (true);

CREATE POLICY operator ON public.attribution_replays TO tributary_owner USING (true);

CREATE POLICY operator ON public.connections TO tributary_owner USING (true);

CREATE POLICY operator ON public.creative_analyses TO tributary_owner USING (true);

CREATE POLICY operator ON public.creative_pictures TO tributary_owner USING (true);

CREATE POLICY operator ON public.handoffs TO tributary_owner USING (true);

CREATE POLICY operator ON public.pending_selections TO tributary_owner USING (true);

CREATE POLICY operator ON public.profiles TO tributary_owner USING (true);

CREATE POLICY operator ON public.saved_views TO tributary_owner USING (true);

CREATE POLICY operator ON public.shared_views TO tributary_owner USING (true);

CREATE POLICY operator ON public.syncs TO tributary_owner USING (true);

CREATE POLICY operator ON public.tenant_deletions TO tributary_owner USING (true);

CREATE POLICY operator ON public.webhook_subscriptions TO tributary_owner USING (true);

CREATE POLICY operator ON public.workspaces TO tributary_owner USING (true);

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outcome_totals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outcomes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outcomes_without_rate ENABLE ROW LEVEL SECURITY;

CREATE POLICY own ON public.idempotent_answer_people TO tributary_app USING ((owner_id = public.current_owner()));

CREATE POLICY own ON public.idempotent_answers TO tributary_app USING ((owner_id = public.current_owner()));

CREATE POLICY own_profile ON public.ad_action_entries TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.ad_actions TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.ad_delivery TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.ad_delivery_history TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.ad_entities TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.ad_entities_history TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.alert_mails TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.alert_wishes TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.alerts TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.api_keys TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.app_tokens TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.attribution_freshness TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.attribution_replays TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.bad_visit_days TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.bad_visits TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.campaign_tactics TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.closings TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.connections TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.creative_analyses TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.creative_pictures TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.customers TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.definition_events TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.definitions TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.dirty_conversions TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.dirty_customers TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.dirty_delivery TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.dirty_entities TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.dirty_sales TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.erasure_work TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.erasures TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.event_log TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.experiments TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.export_events TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.export_runs TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.export_targets TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.grants TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.handoffs TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.identifiers TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.identity_conflicts TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.journey_summaries TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.kept_apart TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.last_visits TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.merge_proposals TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.merges TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.model_fits TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.moved_conversions TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.outbox TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.outcome_totals TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.outcomes TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.outcomes_without_rate TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.partner_touches TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.payment_entries TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.payment_refunds TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.pending_selections TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.pii_access_log FOR INSERT TO tributary_app WITH CHECK ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.profile_settings_history TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.profiles TO tributary_app USING (((id = public.current_profile()) OR (workspace_id = public.current_workspace())));

CREATE POLICY own_profile ON public.profiles_with_ads TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.reconciliation_differences TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.reconciliations TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.refused_visits TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.report_mail_deliveries TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.report_mails TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.said_together TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.sale_batches TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.sale_decisions TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.sale_matches TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.sale_overlaps TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.sale_records TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.sale_references TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.sale_rescans TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.sale_settings TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.sale_sources TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.saved_views TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.score_rebuilds TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.search_terms TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.shared_views TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.site_searches TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.syncs TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.tenant_deletions TO tributary_app USING (((profile_id = public.current_profile()) OR (workspace_id = public.current_workspace())));

CREATE POLICY own_profile ON public.tombstones TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.tracking_domains TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.tracking_keys TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.tracking_settings TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.tracking_verifications TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.visitor_links TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.webhook_deliveries TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.webhook_subscriptions TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.webhook_work TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.work_set_aside TO tributary_app USING ((key = public.current_profile()));

CREATE POLICY own_profile ON public.work_turns TO tributary_app USING ((key = public.current_profile()));

CREATE POLICY own_subscription ON public.work_turns TO tributary_app USING (((queue = 'webhooks'::text) AND (EXISTS ( SELECT
   FROM public.webhook_work w
  WHERE ((w.subscription_id = work_turns.key) AND (w.profile_id = public.current_profile()))))));

CREATE POLICY own_workspace ON public.audit_log FOR SELECT TO tributary_app USING ((workspace_id = public.current_workspace()));

CREATE POLICY own_workspace ON public.invitations TO tributary_app USING ((workspace_id = public.current_workspace()));

CREATE POLICY own_workspace ON public.members TO tributary_app USING ((workspace_id = public.current_workspace()));

CREATE POLICY own_workspace ON public.model_allowances TO tributary_app USING ((workspace_id = public.current_workspace()));

CREATE POLICY own_workspace ON public.pii_access_log FOR SELECT TO tributary_app USING ((workspace_id = public.current_workspace()));

CREATE POLICY own_workspace ON public.workspaces TO tributary_app USING ((id = public.current_workspace()));

ALTER TABLE public.partner_touches ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.payment_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.payment_refunds ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pending_selections ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pii_access_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.profile_settings_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.profiles ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.profiles_with_ads ENABLE ROW LEVEL SECURITY;

CREATE POLICY queue ON public.ad_delivery_history TO tributary_system USING (true);

CREATE POLICY queue ON public.ad_entities_history TO tributary_system USING (true);

CREATE POLICY queue ON public.alert_mails TO tributary_system USING (true);

CREATE POLICY queue ON public.api_keys TO tributary_system USING (true);

CREATE POLICY queue ON public.app_tokens TO tributary_system USING (true);

CREATE POLICY queue ON public.attribution_freshness FOR SELECT TO tributary_system USING (true);

CREATE POLICY queue ON public.attribution_replays TO tributary_system USING (true);

CREATE POLICY queue ON public.bad_visit_days TO tributary_system USING (true);

CREATE POLICY queue ON public.bad_visits TO tributary_system USING (true);

CREATE POLICY queue ON public.dirty_conversions TO tributary_system USING (true);

CREATE POLICY queue ON public.dirty_customers TO tributary_system USING (true);

CREATE POLICY queue ON public.dirty_delivery TO tributary_system USING (true);

CREATE POLICY queue ON public.dirty_entities TO tributary_system USING (true);

CREATE POLICY queue ON public.dirty_sales TO tributary_system USING (true);

CREATE POLICY queue ON public.erasure_work TO tributary_system USING (true);

CREATE POLICY queue ON public.event_log TO tributary_system USING (true);

CREATE POLICY queue ON public.export_events TO tributary_system USING (true);

CREATE POLICY queue ON public.idempotent_answers TO tributary_system USING (true);

CREATE POLICY queue ON public.invitations TO tributary_system USING (true);

CREATE POLICY queue ON public.model_allowances TO tributary_system USING (true);

CREATE POLICY queue ON public.moved_conversions TO tributary_system USING (true);

CREATE POLICY queue ON public.outbox TO tributary_system USING (true);

CREATE POLICY queue ON public.outcomes_without_rate TO tributary_system USING (true);

CREATE POLICY queue ON public.pii_access_log TO tributary_system USING (true);

CREATE POLICY queue ON public.profiles_with_ads TO tributary_system USING (true);

CREATE POLICY queue ON public.reconciliations TO tributary_system USING (true);

CREATE POLICY queue ON public.refused_visits TO tributary_system USING (true);

CREATE POLICY queue ON public.report_mail_deliveries TO tributary_system USING (true);

CREATE POLICY queue ON public.report_mails TO tributary_system USING (true);

CREATE POLICY queue ON public.sale_rescans TO tributary_system USING (true);

CREATE POLICY queue ON public.score_rebuilds TO tributary_system USING (true);

CREATE POLICY queue ON public.syncs TO tributary_system USING (true);

CREATE POLICY queue ON public.tenant_deletions TO tributary_system USING (true);

CREATE POLICY queue ON public.tracking_keys TO tributary_system USING (true);

CREATE POLICY queue ON public.webhook_deliveries TO tributary_system USING (true);

CREATE POLICY queue ON public.webhook_work TO tributary_system USING (true);

CREATE POLICY queue ON public.work_set_aside TO tributary_system USING (true);

CREATE POLICY queue ON public.work_turns TO tributary_system USING (true);

ALTER TABLE public.reconciliation_differences ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.reconciliations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.refused_visits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.report_mail_deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.report_mails ENABLE ROW LEVEL SECURITY;

CREATE POLICY rewrapped ON public.bad_visits TO tributary_owner USING (true);

CREATE POLICY rewrapped ON public.erasures TO tributary_owner USING (true);

CREATE POLICY rewrapped ON public.idempotent_answers TO tributary_owner USING (true);

CREATE POLICY rewrapped ON public.journey_summaries TO tributary_owner USING (true);

CREATE POLICY rewrapped ON public.tracking_keys TO tributary_owner USING (true);

ALTER TABLE public.said_together ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sale_batches ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sale_decisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sale_matches ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sale_overlaps ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sale_records ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sale_references ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sale_rescans ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sale_settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sale_sources ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.saved_views ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.score_rebuilds ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.search_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.shared_views ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.site_searches ENABLE ROW LEVEL SECURITY;

CREATE POLICY sweep ON public.creative_pictures TO tributary_system USING (true);

CREATE POLICY sweep ON public.export_runs TO tributary_system USING (true);

CREATE POLICY sweep ON public.handoffs TO tributary_system USING (true);

CREATE POLICY sweep ON public.model_fits TO tributary_system USING (true);

CREATE POLICY sweep ON public.pending_selections TO tributary_system USING (true);

CREATE POLICY sweep ON public.shared_views TO tributary_system USING (true);

CREATE POLICY sweep ON public.site_searches TO tributary_system USING (true);

CREATE POLICY switch ON public.api_keys FOR UPDATE TO tributary_owner USING (true);

CREATE POLICY switch ON public.grants FOR UPDATE TO tributary_owner USING (true);

ALTER TABLE public.syncs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tenant_deletions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tombstones ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tracking_domains ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tracking_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tracking_settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tracking_verifications ENABLE ROW LEVEL SECURITY;

CREATE POLICY under_way ON public.ad_actions TO tributary_system USING (((due_at IS NOT NULL) OR public.is_being_deleted(profile_id)));

ALTER TABLE public.visitor_links ENABLE ROW LEVEL SECURITY;

CREATE POLICY waiting ON public.payment_refunds FOR SELECT TO tributary_system USING ((payment_id IS NULL));

CREATE POLICY watched ON public.alerts TO tributary_system USING (true);

CREATE POLICY watched ON public.last_visits FOR SELECT TO tributary_system USING (true);

CREATE POLICY watched ON public.sale_decisions FOR SELECT TO tributary_system USING (true);

CREATE POLICY watched ON public.sale_overlaps FOR SELECT TO tributary_system USING (true);

CREATE POLICY watched ON public.sale_sources FOR SELECT TO tributary_system USING (true);

ALTER TABLE public.webhook_deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_subscriptions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_work ENABLE ROW LEVEL SECURITY;

CREATE POLICY without_id ON public.merges TO tributary_owner USING ((id IS NULL)) WITH CHECK (true);

ALTER TABLE public.work_set_aside ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.work_turns ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.workspaces ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON FUNCTION public.announce_work(queue_name text, keys uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.announce_work(queue_name text, keys uuid[]) TO tributary_app;
GRANT ALL ON FUNCTION public.announce_work(queue_name text, keys uuid[]) TO tributary_system;

REVOKE ALL ON FUNCTION public.append_audit(workspace uuid, entry_at timestamp with time zone, actor_kind text, actor_id text, action text, result text, target text, detail jsonb, request_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.append_audit(workspace uuid, entry_at timestamp with time zone, actor_kind text, actor_id text, action text, result text, target text, detail jsonb, request_id text) TO tributary_app;

REVOKE ALL ON FUNCTION public.append_installation_audit(entry_at timestamp with time zone, actor_kind text, actor_id text, action text, result text, target text, detail jsonb, request_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.append_installation_audit(entry_at timestamp with time zone, actor_kind text, actor_id text, action text, result text, target text, detail jsonb, request_id text) TO tributary_app;

REVOKE ALL ON FUNCTION public.count_differences(since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_differences(since timestamp with time zone) TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.merges TO tributary_app;

REVOKE ALL ON FUNCTION public.find_app(app uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_app(app uuid) TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.grants TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.profiles TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workspaces TO tributary_app;

REVOKE ALL ON FUNCTION public.find_app_profile(app uuid, profile uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_app_profile(app uuid, profile uuid) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_app_workspace(app uuid, workspace uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_app_workspace(app uuid, workspace uuid) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_assistant_token(token_hash text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_assistant_token(token_hash text, at timestamp with time zone) TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.connections TO tributary_app;

REVOKE ALL ON FUNCTION public.find_connections_of(told_channel text, told_account text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_connections_of(told_channel text, told_account text) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_created(member uuid, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_created(member uuid, at timestamp with time zone) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_credentials(hashes bytea[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_credentials(hashes bytea[], at timestamp with time zone) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_deleted_workspaces(person uuid, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_deleted_workspaces(person uuid, at timestamp with time zone) TO tributary_app;

GRANT SELECT ON TABLE public.key_ring TO tributary_app;
GRANT SELECT ON TABLE public.key_ring TO tributary_system;

GRANT SELECT(purpose) ON TABLE public.key_ring TO tributary_collector;

GRANT SELECT(id) ON TABLE public.key_ring TO tributary_collector;

GRANT SELECT(created_at) ON TABLE public.key_ring TO tributary_collector;

GRANT SELECT(retired_at) ON TABLE public.key_ring TO tributary_collector;

GRANT SELECT(public_key) ON TABLE public.key_ring TO tributary_collector;

REVOKE ALL ON FUNCTION public.find_envelope_keys() FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_envelope_keys() TO tributary_collector;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.handoffs TO tributary_app;
GRANT DELETE ON TABLE public.handoffs TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.handoffs TO tributary_system;

GRANT SELECT(id) ON TABLE public.handoffs TO tributary_system;

GRANT SELECT(status),UPDATE(status) ON TABLE public.handoffs TO tributary_system;

GRANT UPDATE(claim) ON TABLE public.handoffs TO tributary_system;

GRANT SELECT(claimed_at),UPDATE(claimed_at) ON TABLE public.handoffs TO tributary_system;

GRANT SELECT(expires_at) ON TABLE public.handoffs TO tributary_system;

GRANT SELECT(completed_at),UPDATE(completed_at) ON TABLE public.handoffs TO tributary_system;

GRANT UPDATE(reason) ON TABLE public.handoffs TO tributary_system;

REVOKE ALL ON FUNCTION public.find_handoff(hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_handoff(hash bytea) TO tributary_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.invitations TO tributary_app;
GRANT DELETE ON TABLE public.invitations TO tributary_system;

GRANT SELECT(workspace_id) ON TABLE public.invitations TO tributary_system;

GRANT SELECT(id) ON TABLE public.invitations TO tributary_system;

GRANT SELECT(expires_at) ON TABLE public.invitations TO tributary_system;

REVOKE ALL ON FUNCTION public.find_invitation(invitation_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_invitation(invitation_hash bytea) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_live_session(session_hash text, wanted_workspace uuid, wanted_profile uuid, at timestamp with time zone, idle interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_live_session(session_hash text, wanted_workspace uuid, wanted_profile uuid, at timestamp with time zone, idle interval) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_mcp_token(token_hash text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_mcp_token(token_hash text, at timestamp with time zone) TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.members TO tributary_app;
GRANT DELETE ON TABLE public.members TO tributary_system;

GRANT SELECT(workspace_id) ON TABLE public.members TO tributary_system;

GRANT SELECT(user_id) ON TABLE public.members TO tributary_system;

REVOKE ALL ON FUNCTION public.find_memberships(person uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_memberships(person uuid) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_outcome_subscriber() FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_outcome_subscriber() TO tributary_app;

REVOKE ALL ON FUNCTION public.find_place(person uuid, wanted_workspace uuid, wanted_profile uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_place(person uuid, wanted_workspace uuid, wanted_profile uuid) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_session(session_hash text, wanted_workspace uuid, wanted_profile uuid, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_session(session_hash text, wanted_workspace uuid, wanted_profile uuid, at timestamp with time zone) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_shared_view(secret bytea, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_shared_view(secret bytea, at timestamp with time zone) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_tenants(ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_tenants(ids uuid[]) TO tributary_app;
GRANT ALL ON FUNCTION public.find_tenants(ids uuid[]) TO tributary_system;

GRANT SELECT,INSERT ON TABLE public.tombstones TO tributary_app;
GRANT DELETE ON TABLE public.tombstones TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.tombstones TO tributary_system;

GRANT SELECT(hash) ON TABLE public.tombstones TO tributary_system;

GRANT SELECT(erasure_id) ON TABLE public.tombstones TO tributary_system;

REVOKE ALL ON FUNCTION public.find_tombstones(profile_ids uuid[], hashes bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_tombstones(profile_ids uuid[], hashes bytea[]) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_tracking_keys(keys text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_tracking_keys(keys text[]) TO tributary_app;
GRANT ALL ON FUNCTION public.find_tracking_keys(keys text[]) TO tributary_collector;

GRANT SELECT,INSERT ON TABLE public.users TO tributary_app;

GRANT UPDATE(updated_at) ON TABLE public.users TO tributary_app;

GRANT UPDATE(two_factor_enabled) ON TABLE public.users TO tributary_app;

REVOKE ALL ON FUNCTION public.find_users(ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_users(ids uuid[]) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_visit_profiles(profile_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_visit_profiles(profile_ids uuid[]) TO tributary_app;

REVOKE ALL ON FUNCTION public.find_webhook_secrets(named_channel text, named_account text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_webhook_secrets(named_channel text, named_account text) TO tributary_collector;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.oauth_access_tokens TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.oauth_consents TO tributary_app;

GRANT SELECT(client_id) ON TABLE public.oauth_consents TO tributary_system;

REVOKE ALL ON FUNCTION public.forget_assistants_of(profile uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_assistants_of(profile uuid) TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tenant_deletions TO tributary_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.tenant_deletions TO tributary_system;

REVOKE ALL ON FUNCTION public.is_first_account_open() FROM PUBLIC;
GRANT ALL ON FUNCTION public.is_first_account_open() TO tributary_app;

GRANT SELECT,DELETE ON TABLE public.app_tokens TO tributary_system;

REVOKE ALL ON FUNCTION public.issue_app_token(token_hash bytea, token_id uuid, app uuid, profile uuid, token_scopes text[], issued_at timestamp with time zone, expires timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.issue_app_token(token_hash bytea, token_id uuid, app uuid, profile uuid, token_scopes text[], issued_at timestamp with time zone, expires timestamp with time zone) TO tributary_app;

REVOKE ALL ON FUNCTION public.keep_settings() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.list_waiting_attribution(after uuid, since timestamp with time zone, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_waiting_attribution(after uuid, since timestamp with time zone, most integer) TO tributary_system;

REVOKE ALL ON FUNCTION public.list_waiting_delivery(after uuid, since timestamp with time zone, most integer, looked integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_waiting_delivery(after uuid, since timestamp with time zone, most integer, looked integer) TO tributary_system;

GRANT USAGE ON SEQUENCE public.dirty_revision TO tributary_app;
GRANT USAGE ON SEQUENCE public.dirty_revision TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dirty_conversions TO tributary_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dirty_conversions TO tributary_system;

REVOKE ALL ON FUNCTION public.mark_touched(profile_ids uuid[], visitor_ids uuid[], touched_at timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.mark_touched(profile_ids uuid[], visitor_ids uuid[], touched_at timestamp with time zone[]) TO tributary_app;
GRANT ALL ON FUNCTION public.mark_touched(profile_ids uuid[], visitor_ids uuid[], touched_at timestamp with time zone[]) TO tributary_system;

REVOKE ALL ON FUNCTION public.note_key_use(key_ids uuid[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.note_key_use(key_ids uuid[], at timestamp with time zone) TO tributary_app;

REVOKE ALL ON FUNCTION public.note_last_visits(profile_ids uuid[], came_at timestamp with time zone[], step interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.note_last_visits(profile_ids uuid[], came_at timestamp with time zone[], step interval) TO tributary_app;

REVOKE ALL ON FUNCTION public.note_session_use(session_ids uuid[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.note_session_use(session_ids uuid[], at timestamp with time zone) TO tributary_app;

REVOKE ALL ON FUNCTION public.queue_reconciliations(first_day date, last_day date, of_books text[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.queue_reconciliations(first_day date, last_day date, of_books text[], at timestamp with time zone) TO tributary_system;

REVOKE ALL ON FUNCTION public.redeem_first_account(presented bytea, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.redeem_first_account(presented bytea, at timestamp with time zone) TO tributary_app;

REVOKE ALL ON PROCEDURE public.refuse_moved(IN tenant uuid) FROM PUBLIC;
GRANT ALL ON PROCEDURE public.refuse_moved(IN tenant uuid) TO tributary_app;
GRANT ALL ON PROCEDURE public.refuse_moved(IN tenant uuid) TO tributary_system;

GRANT SELECT,INSERT ON TABLE public.oauth_clients TO tributary_app;
GRANT DELETE ON TABLE public.oauth_clients TO tributary_system;

GRANT SELECT(id) ON TABLE public.oauth_clients TO tributary_system;

GRANT SELECT(client_id) ON TABLE public.oauth_clients TO tributary_system;

GRANT SELECT(created_at) ON TABLE public.oauth_clients TO tributary_system;

REVOKE ALL ON FUNCTION public.replace_unallowed_clients(before timestamp with time zone, up_to integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.replace_unallowed_clients(before timestamp with time zone, up_to integer) TO tributary_app;

REVOKE ALL ON FUNCTION public.revoke_person_keys(profile uuid, at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.rules_changed() FROM PUBLIC;

REVOKE ALL ON PROCEDURE public.stand_before(IN tenant uuid) FROM PUBLIC;
GRANT ALL ON PROCEDURE public.stand_before(IN tenant uuid) TO tributary_app;
GRANT ALL ON PROCEDURE public.stand_before(IN tenant uuid) TO tributary_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.accounts TO tributary_app;

GRANT SELECT,INSERT ON TABLE public.ad_action_entries TO tributary_app;
GRANT DELETE ON TABLE public.ad_action_entries TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.ad_action_entries TO tributary_system;

GRANT SELECT(id) ON TABLE public.ad_action_entries TO tributary_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.ad_actions TO tributary_app;
GRANT DELETE ON TABLE public.ad_actions TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.ad_actions TO tributary_system;

GRANT SELECT(id) ON TABLE public.ad_actions TO tributary_system;

GRANT SELECT(due_at),UPDATE(due_at) ON TABLE public.ad_actions TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ad_delivery TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ad_delivery_history TO tributary_app;
GRANT DELETE ON TABLE public.ad_delivery_history TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.ad_delivery_history TO tributary_system;

GRANT SELECT(entity_id) ON TABLE public.ad_delivery_history TO tributary_system;

GRANT SELECT(day) ON TABLE public.ad_delivery_history TO tributary_system;

GRANT SELECT(revision) ON TABLE public.ad_delivery_history TO tributary_system;

GRANT SELECT(replaced_at) ON TABLE public.ad_delivery_history TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ad_entities TO tributary_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.ad_entities_history TO tributary_app;
GRANT DELETE ON TABLE public.ad_entities_history TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.ad_entities_history TO tributary_system;

GRANT SELECT(id) ON TABLE public.ad_entities_history TO tributary_system;

GRANT SELECT(revision) ON TABLE public.ad_entities_history TO tributary_system;

GRANT SELECT(replaced_at) ON TABLE public.ad_entities_history TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.alert_mails TO tributary_app;
GRANT DELETE ON TABLE public.alert_mails TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.alert_mails TO tributary_system;

GRANT SELECT(alert_id) ON TABLE public.alert_mails TO tributary_system;

GRANT SELECT(moment) ON TABLE public.alert_mails TO tributary_system;

GRANT SELECT(user_id) ON TABLE public.alert_mails TO tributary_system;

GRANT SELECT(made_at) ON TABLE public.alert_mails TO tributary_system;

GRANT SELECT(state),UPDATE(state) ON TABLE public.alert_mails TO tributary_system;

GRANT UPDATE(reason) ON TABLE public.alert_mails TO tributary_system;

GRANT SELECT(due_at),UPDATE(due_at) ON TABLE public.alert_mails TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.alert_wishes TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.alerts TO tributary_app;
GRANT SELECT,DELETE ON TABLE public.alerts TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.api_keys TO tributary_app;
GRANT DELETE ON TABLE public.api_keys TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.api_keys TO tributary_system;

GRANT SELECT(id) ON TABLE public.api_keys TO tributary_system;

GRANT SELECT(expires_at) ON TABLE public.api_keys TO tributary_system;

GRANT SELECT(revoked_at) ON TABLE public.api_keys TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.attribution_freshness TO tributary_app;
GRANT SELECT ON TABLE public.attribution_freshness TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.attribution_replays TO tributary_app;
GRANT DELETE ON TABLE public.attribution_replays TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.attribution_replays TO tributary_system;

GRANT SELECT(id) ON TABLE public.attribution_replays TO tributary_system;

GRANT SELECT(finished_at) ON TABLE public.attribution_replays TO tributary_system;

GRANT SELECT ON TABLE public.audit_log TO tributary_app;
GRANT DELETE ON TABLE public.audit_log TO tributary_system;

GRANT SELECT(workspace_id) ON TABLE public.audit_log TO tributary_system;

GRANT SELECT(sequence) ON TABLE public.audit_log TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.bad_visit_days TO tributary_app;
GRANT SELECT,DELETE ON TABLE public.bad_visit_days TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.bad_visits TO tributary_app;
GRANT DELETE ON TABLE public.bad_visits TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.bad_visits TO tributary_system;

GRANT SELECT(id) ON TABLE public.bad_visits TO tributary_system;

GRANT SELECT(received_at) ON TABLE public.bad_visits TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.campaign_tactics TO tributary_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.closings TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.creative_analyses TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.creative_pictures TO tributary_app;
GRANT DELETE ON TABLE public.creative_pictures TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.creative_pictures TO tributary_system;

GRANT SELECT(ad_id) ON TABLE public.creative_pictures TO tributary_system;

GRANT SELECT(tried_at) ON TABLE public.creative_pictures TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.customers TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.definition_events TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.definitions TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dirty_customers TO tributary_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dirty_customers TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dirty_delivery TO tributary_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.dirty_delivery TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dirty_entities TO tributary_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.dirty_entities TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dirty_sales TO tributary_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dirty_sales TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.erasure_work TO tributary_app;
GRANT SELECT,UPDATE ON TABLE public.erasure_work TO tributary_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.erasures TO tributary_app;
GRANT DELETE ON TABLE public.erasures TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.erasures TO tributary_system;

GRANT SELECT(id) ON TABLE public.erasures TO tributary_system;

GRANT SELECT,UPDATE ON TABLE public.event_counter TO tributary_system;

GRANT SELECT ON TABLE public.event_log TO tributary_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.event_log TO tributary_system;

GRANT UPDATE(kept_from) ON TABLE public.event_log TO tributary_app;

GRANT SELECT ON TABLE public.exchange_rates TO tributary_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.exchange_rates TO tributary_system;

GRANT SELECT ON TABLE public.exchange_rates_history TO tributary_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.exchange_rates_history TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.experiments TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.export_events TO tributary_app;
GRANT DELETE ON TABLE public.export_events TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.export_events TO tributary_system;

GRANT SELECT(target_id) ON TABLE public.export_events TO tributary_system;

GRANT SELECT(outcome_id) ON TABLE public.export_events TO tributary_system;

GRANT SELECT(scheduled_at) ON TABLE public.export_events TO tributary_system;

GRANT SELECT(due_at),UPDATE(due_at) ON TABLE public.export_events TO tributary_system;

GRANT SELECT(status),UPDATE(status) ON TABLE public.export_events TO tributary_system;

GRANT UPDATE(reason) ON TABLE public.export_events TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.export_runs TO tributary_app;
GRANT DELETE ON TABLE public.export_runs TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.export_runs TO tributary_system;

GRANT SELECT(id) ON TABLE public.export_runs TO tributary_system;

GRANT SELECT(scheduled_at) ON TABLE public.export_runs TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.export_targets TO tributary_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.idempotent_answer_people TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotent_answers TO tributary_app;
GRANT SELECT,DELETE ON TABLE public.idempotent_answers TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.identifiers TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.identity_conflicts TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.journey_summaries TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.kept_apart TO tributary_app;

GRANT SELECT,DELETE ON TABLE public.last_visits TO tributary_app;
GRANT SELECT ON TABLE public.last_visits TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.merge_proposals TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.model_allowances TO tributary_app;
GRANT DELETE ON TABLE public.model_allowances TO tributary_system;

GRANT SELECT(workspace_id) ON TABLE public.model_allowances TO tributary_system;

GRANT SELECT(day) ON TABLE public.model_allowances TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.model_fits TO tributary_app;
GRANT DELETE ON TABLE public.model_fits TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.model_fits TO tributary_system;

GRANT SELECT(id) ON TABLE public.model_fits TO tributary_system;

GRANT SELECT(state) ON TABLE public.model_fits TO tributary_system;

GRANT SELECT(requested_at) ON TABLE public.model_fits TO tributary_system;

GRANT SELECT(finished_at) ON TABLE public.model_fits TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.moved_conversions TO tributary_app;
GRANT SELECT,DELETE ON TABLE public.moved_conversions TO tributary_system;

GRANT DELETE ON TABLE public.oauth_client_assertions TO tributary_system;

GRANT SELECT(id) ON TABLE public.oauth_client_assertions TO tributary_system;

GRANT SELECT(expires_at) ON TABLE public.oauth_client_assertions TO tributary_system;

GRANT SELECT,INSERT ON TABLE public.oauth_client_resources TO tributary_app;

GRANT SELECT,DELETE ON TABLE public.oauth_refresh_tokens TO tributary_app;

GRANT SELECT,INSERT ON TABLE public.oauth_resources TO tributary_app;

GRANT SELECT,INSERT ON TABLE public.outbox TO tributary_app;
GRANT SELECT,DELETE ON TABLE public.outbox TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.outcomes TO tributary_app;

GRANT SELECT ON TABLE public.outcome_meanings TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.outcome_totals TO tributary_app;

GRANT SELECT ON TABLE public.outcome_total_meanings TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.outcomes_without_rate TO tributary_app;
GRANT SELECT ON TABLE public.outcomes_without_rate TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.partner_touches TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.passkeys TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.password_resets TO tributary_app;
GRANT DELETE ON TABLE public.password_resets TO tributary_system;

GRANT SELECT(user_id) ON TABLE public.password_resets TO tributary_system;

GRANT SELECT(expires_at) ON TABLE public.password_resets TO tributary_system;

GRANT SELECT,INSERT ON TABLE public.payment_entries TO tributary_app;
GRANT DELETE ON TABLE public.payment_entries TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.payment_entries TO tributary_system;

GRANT SELECT(id) ON TABLE public.payment_entries TO tributary_system;

GRANT UPDATE(payer_id) ON TABLE public.payment_entries TO tributary_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.payment_refunds TO tributary_app;
GRANT SELECT,DELETE ON TABLE public.payment_refunds TO tributary_system;

GRANT SELECT ON TABLE public.payments TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pending_selections TO tributary_app;

GRANT SELECT(profile_id) ON TABLE public.pending_selections TO tributary_system;

GRANT SELECT(id) ON TABLE public.pending_selections TO tributary_system;

GRANT UPDATE(parked) ON TABLE public.pending_selections TO tributary_system;

GRANT SELECT(parked_until),UPDATE(parked_until) ON TABLE public.pending_selections TO tributary_system;

GRANT SELECT,INSERT ON TABLE public.pii_access_log TO tributary_app;
GRANT SELECT,DELETE ON TABLE public.pii_access_log TO tributary_system;

GRANT SELECT,DELETE ON TABLE public.profile_settings_history TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.profiles_with_ads TO tributary_app;
GRANT SELECT,UPDATE ON TABLE public.profiles_with_ads TO tributary_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.provider_pauses TO tributary_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.provider_pauses TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reconciliation_differences TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reconciliations TO tributary_app;
GRANT DELETE ON TABLE public.reconciliations TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.reconciliations TO tributary_system;

GRANT SELECT(id) ON TABLE public.reconciliations TO tributary_system;

GRANT SELECT(state),UPDATE(state) ON TABLE public.reconciliations TO tributary_system;

GRANT SELECT(requested_at) ON TABLE public.reconciliations TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.refused_visits TO tributary_app;
GRANT SELECT,DELETE ON TABLE public.refused_visits TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.report_mail_deliveries TO tributary_app;
GRANT DELETE ON TABLE public.report_mail_deliveries TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.report_mail_deliveries TO tributary_system;

GRANT SELECT(mail_id) ON TABLE public.report_mail_deliveries TO tributary_system;

GRANT SELECT(sent_for) ON TABLE public.report_mail_deliveries TO tributary_system;

GRANT SELECT(user_id) ON TABLE public.report_mail_deliveries TO tributary_system;

GRANT SELECT(state),UPDATE(state) ON TABLE public.report_mail_deliveries TO tributary_system;

GRANT UPDATE(reason) ON TABLE public.report_mail_deliveries TO tributary_system;

GRANT SELECT(due_at),UPDATE(due_at) ON TABLE public.report_mail_deliveries TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.report_mails TO tributary_app;
GRANT DELETE ON TABLE public.report_mails TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.report_mails TO tributary_system;

GRANT SELECT(id) ON TABLE public.report_mails TO tributary_system;

GRANT SELECT(due_at),UPDATE(due_at) ON TABLE public.report_mails TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.said_together TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_batches TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_decisions TO tributary_app;

GRANT SELECT(profile_id) ON TABLE public.sale_decisions TO tributary_system;

GRANT SELECT(decided_at) ON TABLE public.sale_decisions TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_matches TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_overlaps TO tributary_app;
GRANT SELECT ON TABLE public.sale_overlaps TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_records TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_references TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_rescans TO tributary_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_rescans TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_settings TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sale_sources TO tributary_app;
GRANT SELECT ON TABLE public.sale_sources TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.saved_views TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.score_rebuilds TO tributary_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.score_rebuilds TO tributary_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.search_terms TO tributary_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.sessions TO tributary_app;
GRANT DELETE ON TABLE public.sessions TO tributary_system;

GRANT SELECT(id) ON TABLE public.sessions TO tributary_system;

GRANT SELECT(expires_at) ON TABLE public.sessions TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.shared_views TO tributary_app;
GRANT DELETE ON TABLE public.shared_views TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.shared_views TO tributary_system;

GRANT SELECT(id) ON TABLE public.shared_views TO tributary_system;

GRANT SELECT(expires_at) ON TABLE public.shared_views TO tributary_system;

GRANT SELECT(revoked_at) ON TABLE public.shared_views TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.site_searches TO tributary_app;
GRANT DELETE ON TABLE public.site_searches TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.site_searches TO tributary_system;

GRANT SELECT(connection_id) ON TABLE public.site_searches TO tributary_system;

GRANT SELECT(day) ON TABLE public.site_searches TO tributary_system;

GRANT SELECT(hash) ON TABLE public.site_searches TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.syncs TO tributary_app;
GRANT SELECT,UPDATE ON TABLE public.syncs TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tracking_domains TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tracking_keys TO tributary_app;
GRANT DELETE ON TABLE public.tracking_keys TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.tracking_keys TO tributary_system;

GRANT SELECT(id) ON TABLE public.tracking_keys TO tributary_system;

GRANT SELECT(revoked_at) ON TABLE public.tracking_keys TO tributary_system;

GRANT UPDATE(identify_secret) ON TABLE public.tracking_keys TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tracking_settings TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tracking_verifications TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.two_factors TO tributary_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.verifications TO tributary_app;
GRANT DELETE ON TABLE public.verifications TO tributary_system;

GRANT SELECT(id) ON TABLE public.verifications TO tributary_system;

GRANT SELECT(expires_at) ON TABLE public.verifications TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.visitor_links TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_deliveries TO tributary_app;
GRANT DELETE ON TABLE public.webhook_deliveries TO tributary_system;

GRANT SELECT(profile_id) ON TABLE public.webhook_deliveries TO tributary_system;

GRANT SELECT(id) ON TABLE public.webhook_deliveries TO tributary_system;

GRANT SELECT(subscription_id) ON TABLE public.webhook_deliveries TO tributary_system;

GRANT SELECT(status),UPDATE(status) ON TABLE public.webhook_deliveries TO tributary_system;

GRANT UPDATE(due_at) ON TABLE public.webhook_deliveries TO tributary_system;

GRANT SELECT(touched_at) ON TABLE public.webhook_deliveries TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_subscriptions TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_work TO tributary_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.webhook_work TO tributary_system;

GRANT SELECT,DELETE ON TABLE public.work_set_aside TO tributary_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_set_aside TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_turns TO tributary_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_turns TO tributary_system;
