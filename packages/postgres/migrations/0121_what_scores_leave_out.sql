-- What each window of a profile's scores is of: its days, and the money of them that could not be converted when it was rebuilt. Scores are a
-- night old, so what can be converted since is still in no score.
ALTER TABLE score_rebuilds ADD COLUMN windows jsonb NOT NULL DEFAULT '{}';
