//! What goes over the wire, in camelCase.

pub mod approval;
pub mod call;
pub mod event;
pub mod token;
