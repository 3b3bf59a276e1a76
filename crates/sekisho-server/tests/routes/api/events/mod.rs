//! `/api/events`, and the same over `/api/ws`.

mod ending;
mod keeping_up;
mod privacy;
mod resuming;
