-- Who makes the first account of an installation shows a token that the migration told its log. What serves requests can neither make one
-- nor read it: it may redeem it, once, and only while nobody has an account.
CREATE TABLE first_account (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  token_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE FUNCTION is_first_account_open() RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ SELECT NOT EXISTS (SELECT FROM users) $$;
REVOKE ALL ON FUNCTION is_first_account_open FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_first_account_open TO tributary_app;

CREATE FUNCTION redeem_first_account(presented bytea, at timestamptz) RETURNS boolean
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
  WITH redeemed AS (
    DELETE FROM first_account WHERE token_hash = presented AND expires_at > at AND NOT EXISTS (SELECT FROM users) RETURNING id)
  SELECT EXISTS (SELECT FROM redeemed)
$$;
REVOKE ALL ON FUNCTION redeem_first_account FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redeem_first_account TO tributary_app;
