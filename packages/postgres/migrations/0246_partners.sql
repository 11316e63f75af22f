-- What an app provisions, run without an operator.

-- The owner that the app named: the id that the owner's account gets when it is created from the invitation.
ALTER TABLE workspaces ADD COLUMN owner_id uuid;

-- The name of an invited owner, as the app knows it: the accept page presets it.
ALTER TABLE invitations ADD COLUMN name text;

-- A hand-off that renews one connection. It connects no other account.
ALTER TABLE handoffs ADD COLUMN reconnects uuid;

-- A profile for integration tests: its keys start with trib_test_, and the app that created it may delete it.
ALTER TABLE profiles ADD COLUMN is_test boolean NOT NULL DEFAULT false;
