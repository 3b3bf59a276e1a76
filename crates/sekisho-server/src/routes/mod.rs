//! The routes, by resource. Each module gives its rows of the table.

pub(crate) mod approvals;
mod asking;
mod audit;
mod docs;
mod errands;
mod events;
mod health;
mod hooks;
mod notifications;
mod pages;
mod rules;
mod session;
mod tokens;
mod trust;

use crate::route::Route;

pub(crate) use errands::Errands;
pub(crate) use pages::nowhere;
pub(crate) use rules::Hits;

/// Every route there is.
pub fn table() -> Vec<Route> {
    let resources = [
        asking::routes,
        hooks::routes,
        approvals::routes,
        rules::routes,
        audit::routes,
        trust::routes,
        tokens::routes,
        session::routes,
        notifications::routes,
        events::routes,
        health::routes,
        docs::routes,
        pages::routes,
    ];
    resources.iter().flat_map(|routes| routes()).collect()
}
