-- Rules that match one exact input, as JSON text.
ALTER TABLE tool_permission_rules ADD COLUMN input TEXT;
