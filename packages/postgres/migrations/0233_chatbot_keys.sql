-- The key of a chatbot is checked like any other connection.
INSERT INTO syncs (profile_id, connection_id, channel, due_at)
SELECT profile_id, id, channel, now() FROM connections WHERE channel = 'chatbot' AND status <> 'disconnected'
ON CONFLICT DO NOTHING;
