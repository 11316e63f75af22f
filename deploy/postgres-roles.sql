-- The five roles and the database, for a PostgreSQL that an administrator looks after. compose.yaml runs it at the first
-- start; elsewhere run it with psql (15 or newer) as a superuser, with the five passwords in the environment. Safe to run
-- again, which also sets the passwords anew. It says in SQL what packages/postgres/roles.ts says; a test compares the two.

\set ON_ERROR_STOP on
\getenv owner_password TRIBUTARY_OWNER_PASSWORD
\getenv app_password TRIBUTARY_APP_PASSWORD
\getenv system_password TRIBUTARY_SYSTEM_PASSWORD
\getenv collector_password TRIBUTARY_COLLECTOR_PASSWORD
\getenv backup_password TRIBUTARY_BACKUP_PASSWORD

SELECT format('CREATE ROLE %I', role)
FROM unnest(ARRAY['tributary_owner', 'tributary_app', 'tributary_system', 'tributary_collector', 'tributary_backup']) AS role
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role)
\gexec

-- A role that owns nothing and may not bypass row-level security is bound by it, whatever its queries say.
ALTER ROLE tributary_owner LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'owner_password';
ALTER ROLE tributary_app LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'app_password';
ALTER ROLE tributary_system LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'system_password';
ALTER ROLE tributary_collector LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'collector_password';
-- Copies everything and changes nothing; only `tributary backup` has its password.
ALTER ROLE tributary_backup LOGIN NOSUPERUSER BYPASSRLS PASSWORD :'backup_password';
SELECT 'GRANT pg_read_all_data TO tributary_backup' WHERE NOT pg_has_role('tributary_backup', 'pg_read_all_data', 'MEMBER')
\gexec
-- Each test file clones a database. A server that only serves can do without: ALTER ROLE tributary_owner NOCREATEDB.
ALTER ROLE tributary_owner CREATEDB;

SELECT 'CREATE DATABASE tributary OWNER tributary_owner'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'tributary')
\gexec
