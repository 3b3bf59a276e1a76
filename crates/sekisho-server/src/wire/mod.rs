//! What goes over the wire, in camelCase.

pub mod approval;
pub mod audit;
pub mod call;
pub mod notification;
pub mod rule;
pub mod trust;
