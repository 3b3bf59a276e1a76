//! `/api/events`, and the same over `/api/ws`.

mod stream_end;
mod slow_subscribers;
mod registered_kinds;
mod privacy;
mod resume;
