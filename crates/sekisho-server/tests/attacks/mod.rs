//! What people will try at this door. Each attack has its own test, and each test says what it got.

mod answers;
mod bodies;
mod doubled;
mod dressing;
mod framing;
mod guessing;
mod hosts;
mod idle;
mod neighbours;
mod origins;
mod over_tls;
mod reviewed;
mod slow;
mod targets;
mod tls;

use crate::harness::sockets::House;
