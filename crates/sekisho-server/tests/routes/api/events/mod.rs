//! `/api/events`, and the same over `/api/ws`.

mod privacy;
mod registered_kinds;
mod resume;
mod slow_subscribers;
mod stream_end;
