-- Creates the five roles and the database on a PostgreSQL server that an administrator manages. compose.yaml runs it on the first
-- start. Elsewhere, run it with psql (15 or newer) as a superuser, with the five passwords in the environment. It is safe to run again,
-- which also resets the passwords. A test checks that it matches packages/postgres/roles.ts.

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

-- These roles cannot bypass row-level security, whatever their queries contain.
ALTER ROLE tributary_owner LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'owner_password';
ALTER ROLE tributary_app LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'app_password';
ALTER ROLE tributary_system LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'system_password';
ALTER ROLE tributary_collector LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'collector_password';
-- Reads everything and changes nothing; only `tributary backup` has its password.
ALTER ROLE tributary_backup LOGIN NOSUPERUSER BYPASSRLS PASSWORD :'backup_password';
SELECT 'GRANT pg_read_all_data TO tributary_backup' WHERE NOT pg_has_role('tributary_backup', 'pg_read_all_data', 'MEMBER')
\gexec
-- Lets each test file clone a database. A production server can revoke it: ALTER ROLE tributary_owner NOCREATEDB.
ALTER ROLE tributary_owner CREATEDB;

SELECT 'CREATE DATABASE tributary OWNER tributary_owner'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'tributary')
\gexec
