-- The longest time between two visits of a profile, so that a site with a visit every few days is not called silent each time. It shrinks with
-- the time since: what was so a month ago counts for a third.
ALTER TABLE last_visits ADD COLUMN longest_pause_seconds double precision NOT NULL DEFAULT 0;

-- As before, and with the pause that a visit ended.
CREATE OR REPLACE FUNCTION note_last_visits(profile_ids uuid[], came_at timestamptz[], step interval) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
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
