//! `/api/ws` and `/api/events`.

mod answering;
mod ending;
mod keeping_up;
mod privacy;
mod resuming;
mod seed;
