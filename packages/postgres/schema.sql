CREATE SCHEMA public;

CREATE FUNCTION public.current_profile() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('app.profile_id'::text, true), ''::text))::uuid;

CREATE FUNCTION public.current_workspace() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid;

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
    sequenced_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.event_log FORCE ROW LEVEL SECURITY;

CREATE TABLE public.outbox (
    id uuid NOT NULL,
    profile_id uuid NOT NULL,
    type text NOT NULL,
    payload jsonb NOT NULL,
    occurred_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.outbox FORCE ROW LEVEL SECURITY;

CREATE TABLE public.profiles (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    privacy_mode text DEFAULT 'standard'::text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    reporting_currency text DEFAULT 'USD'::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT profiles_privacy_mode_check CHECK ((privacy_mode = ANY (ARRAY['standard'::text, 'platform_safe'::text, 'hipaa'::text]))),
    CONSTRAINT profiles_reporting_currency_check CHECK ((reporting_currency ~ '^[A-Z]{3}$'::text))
);

ALTER TABLE ONLY public.profiles FORCE ROW LEVEL SECURITY;

CREATE TABLE public.workspaces (
    id uuid NOT NULL,
    name text NOT NULL,
    is_healthcare_agency boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.workspaces FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY public.event_counter
    ADD CONSTRAINT event_counter_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.event_log
    ADD CONSTRAINT event_log_pkey PRIMARY KEY (sequence);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);

CREATE UNIQUE INDEX event_log_by_profile ON public.event_log USING btree (profile_id, sequence);

CREATE INDEX profiles_by_workspace ON public.profiles USING btree (workspace_id, id);

ALTER TABLE ONLY public.event_log
    ADD CONSTRAINT event_log_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE public.event_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_profile ON public.event_log TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.outbox TO tributary_app USING ((profile_id = public.current_profile()));

CREATE POLICY own_profile ON public.profiles TO tributary_app USING (((id = public.current_profile()) OR (workspace_id = public.current_workspace())));

CREATE POLICY own_workspace ON public.workspaces TO tributary_app USING ((id = public.current_workspace()));

ALTER TABLE public.profiles ENABLE ROW LEVEL SECURITY;

CREATE POLICY queue ON public.event_log TO tributary_system USING (true);

CREATE POLICY queue ON public.outbox TO tributary_system USING (true);

ALTER TABLE public.workspaces ENABLE ROW LEVEL SECURITY;

GRANT SELECT,UPDATE ON TABLE public.event_counter TO tributary_system;

GRANT SELECT ON TABLE public.event_log TO tributary_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.event_log TO tributary_system;

GRANT SELECT,INSERT ON TABLE public.outbox TO tributary_app;
GRANT SELECT,DELETE ON TABLE public.outbox TO tributary_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.profiles TO tributary_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workspaces TO tributary_app;
