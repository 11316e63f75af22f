-- Collectors remember what find_tracking_keys says, and are told whose answer may have changed.
CREATE FUNCTION announce_tracking() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  PERFORM pg_notify('tributary_tracking', coalesce(NEW.profile_id, OLD.profile_id)::text);
  RETURN NULL;
END $$;

CREATE TRIGGER announce_changed AFTER UPDATE OF key, revoked_at OR DELETE ON tracking_keys
  FOR EACH ROW EXECUTE FUNCTION announce_tracking();
CREATE TRIGGER announce_changed AFTER INSERT OR UPDATE OF allowed_hosts, own_hosts, keeps_city, daily_visit_quota, is_consent_required OR DELETE ON tracking_settings
  FOR EACH ROW EXECUTE FUNCTION announce_tracking();

CREATE FUNCTION announce_tracking_of_profile() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  PERFORM pg_notify('tributary_tracking', NEW.id::text);
  RETURN NULL;
END $$;

CREATE TRIGGER announce_tracking AFTER UPDATE OF archived_at, workspace_id ON profiles
  FOR EACH ROW EXECUTE FUNCTION announce_tracking_of_profile();

-- Whoever changes a workspace need not see its profiles.
CREATE FUNCTION announce_tracking_of_workspace() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path TO public, pg_temp
AS $$ BEGIN
  PERFORM pg_notify('tributary_tracking', id::text) FROM profiles WHERE workspace_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER announce_tracking AFTER UPDATE OF plan, archived_at ON workspaces
  FOR EACH ROW EXECUTE FUNCTION announce_tracking_of_workspace();
