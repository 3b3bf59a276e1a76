-- What was looked up to judge a call, as it was found. It may name what the input names, so it is forgotten with the input; the
-- audit log has it masked. Calls of before have theirs in the log.
ALTER TABLE calls ADD COLUMN facts TEXT;
