-- The operator wraps secrets of all profiles under a newer key, as the owner of the schema; whoever serves stays behind the walls.
CREATE POLICY rewrapped ON bad_visits TO tributary_owner USING (true);
CREATE POLICY rewrapped ON erasures TO tributary_owner USING (true);
CREATE POLICY rewrapped ON journey_summaries TO tributary_owner USING (true);
CREATE POLICY rewrapped ON idempotent_answers TO tributary_owner USING (true);
