-- A release whose rules give other credits to conversions that stand says so in its migration: SELECT rules_changed(). Each profile's
-- replay then waits, and until it is done whatever is worked out names the new rules beside its other causes.
CREATE INDEX attribution_replays_of_rules ON attribution_replays (profile_id) WHERE cause = 'rules' AND state <> 'done';
CREATE POLICY operator ON attribution_replays TO tributary_owner USING (true);

CREATE FUNCTION rules_changed() RETURNS void
  LANGUAGE sql
AS $$
  INSERT INTO attribution_replays (profile_id, id, cause, state, requested_at)
  SELECT p.id, gen_random_uuid(), 'rules', 'queued', now() FROM profiles p
  WHERE NOT EXISTS (SELECT FROM attribution_replays r WHERE r.profile_id = p.id AND r.cause = 'rules' AND r.state = 'queued')
$$;
REVOKE ALL ON FUNCTION rules_changed() FROM PUBLIC;
