//! Where the gate keeps everything.
#![forbid(unsafe_code)]
