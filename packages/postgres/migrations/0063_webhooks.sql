UPDATE event_log SET kept_from = sequenced_at + interval '1 hour';
DROP INDEX event_log_by_time;
GRANT UPDATE (kept_from) ON event_log TO tributary_app;

-- Who wants to be told what, and where. An app's subscription is its own: others of the profile see it and may end it.
CREATE TABLE webhook_subscriptions (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  app_id uuid REFERENCES apps,
  url text NOT NULL,
  events text[] NOT NULL,
  providers text[] NOT NULL,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  disabled_reason text CHECK (disabled_reason IN ('by_hand', 'gone', 'failing')),
  -- Sealed: the secrets that sign, the newest first, and until when the older ones do.
  secrets bytea NOT NULL,
  -- The last event of the log that became a delivery, or was none of its.
  position bigint NOT NULL,
  -- Events that were added to the list later count from here on: by name, the number after which.
  since jsonb NOT NULL DEFAULT '{}',
  consecutive_failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- Nothing is sent before: its receiver is away, or has asked for patience.
  paused_until timestamptz,
  last_delivery_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, id),
  CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL))
);
ALTER TABLE webhook_subscriptions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON webhook_subscriptions TO tributary_app USING (profile_id = current_profile());
-- For the fan-out below, and whoever wraps secrets anew.
CREATE POLICY operator ON webhook_subscriptions TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_subscriptions TO tributary_app;
CREATE TRIGGER forget_set_aside AFTER DELETE ON webhook_subscriptions FOR EACH ROW EXECUTE FUNCTION forget_set_aside();

-- What was or is to be sent to a subscription. No payload: an event is read in the log at each attempt, and the person that it is about too.
CREATE TABLE webhook_deliveries (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  -- Its number in the log. A test has none, and carries what it says.
  sequence bigint,
  test_data jsonb,
  status text NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed', 'withheld', 'set_aside')),
  due_at timestamptz CHECK ((status = 'waiting') = (due_at IS NOT NULL)),
  -- Attempts since it was enqueued or replayed, which is how far the schedule is.
  attempts smallint NOT NULL DEFAULT 0,
  attempt_log jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL,
  touched_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, id),
  CHECK ((sequence IS NULL) = (test_data IS NOT NULL))
) WITH (fillfactor = 85);
CREATE INDEX webhook_deliveries_of_subscription ON webhook_deliveries (profile_id, subscription_id, id);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (profile_id, subscription_id, due_at, id) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (profile_id, id) WHERE status <> 'delivered';
CREATE INDEX webhook_deliveries_by_life ON webhook_deliveries (touched_at);
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON webhook_deliveries TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON webhook_deliveries TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_deliveries TO tributary_app;
GRANT SELECT (profile_id, id, subscription_id, status, touched_at), UPDATE (status, due_at), DELETE ON webhook_deliveries TO tributary_system;

-- Subscriptions for which something is to be sent, and from when on. The queue's key is the subscription, so that each gets its turn.
CREATE TABLE webhook_work (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  subscription_id uuid PRIMARY KEY,
  due_at timestamptz NOT NULL DEFAULT '-infinity',
  -- Raised by whoever leaves something: a worker that found nothing takes the row away only if nobody did meanwhile.
  version bigint NOT NULL DEFAULT 1
) WITH (fillfactor = 50);
CREATE INDEX webhook_work_of_profile ON webhook_work (profile_id, subscription_id);
ALTER TABLE webhook_work ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON webhook_work TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON webhook_work TO tributary_system USING (true);
CREATE POLICY fan_out ON webhook_work TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_work TO tributary_app;
GRANT SELECT, INSERT, UPDATE ON webhook_work TO tributary_system;

CREATE FUNCTION announce_webhooks() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  PERFORM announce_work('webhooks', ARRAY(SELECT subscription_id FROM waiting WHERE due_at <= now()));
  RETURN NULL;
END $$;
CREATE TRIGGER announce_added AFTER INSERT ON webhook_work
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_webhooks();
CREATE TRIGGER announce_changed AFTER UPDATE ON webhook_work
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_webhooks();

-- With its number an event is there for those who asked for it. All events that fire come from the service itself.
CREATE FUNCTION fan_out_events() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  INSERT INTO webhook_work AS w (profile_id, subscription_id)
  SELECT s.profile_id, s.id FROM (SELECT DISTINCT profile_id, type FROM numbered) e
  JOIN webhook_subscriptions s ON s.profile_id = e.profile_id AND e.type = ANY (s.events)
  WHERE s.status = 'active' AND 'service' = ANY (s.providers)
  GROUP BY s.profile_id, s.id ORDER BY s.id
  ON CONFLICT (subscription_id) DO UPDATE SET due_at = '-infinity', version = w.version + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER fan_out AFTER INSERT ON event_log
  REFERENCING NEW TABLE AS numbered FOR EACH STATEMENT EXECUTE FUNCTION fan_out_events();

-- A worker holds its lease in the transaction, behind the wall of the profile, that says what was sent. The key is the subscription here.
CREATE POLICY own_subscription ON work_turns TO tributary_app USING (
  queue = 'webhooks' AND EXISTS (SELECT FROM webhook_work w WHERE w.subscription_id = key AND w.profile_id = current_profile()));
