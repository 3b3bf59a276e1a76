//! `/api/events`, and the same over `/api/ws`.

mod ending;
mod keeping_up;
mod parts;
mod privacy;
mod resuming;
