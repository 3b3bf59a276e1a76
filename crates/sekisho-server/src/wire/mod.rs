//! Request and response bodies, in camelCase.

pub mod approval;
pub mod audit;
pub mod call;
pub mod event;
pub mod notification;
pub mod rule;
pub mod token;
pub mod tool;
pub mod trust;
