//! The routes, by resource. Each module provides its rows of the route table.

mod agents;
mod approvals;
mod audit;
mod calls;
mod docs;
mod events;
mod health;
mod hooks;
mod mastra;
mod notification_settings;
mod orchestrations;
mod pages;
mod pipelines;
mod rules;
mod runs;
mod session;
mod tokens;
mod tools;
mod trust;

use crate::route::Route;

pub(crate) use pages::not_found_page;

/// All routes.
pub fn table() -> Vec<Route> {
    [
        calls::routes(),
        hooks::routes(),
        approvals::routes(),
        rules::routes(),
        audit::routes(),
        trust::routes(),
        tokens::routes(),
        tools::routes(),
        agents::routes(),
        runs::routes(),
        orchestrations::routes(),
        pipelines::routes(),
        mastra::routes(),
        session::routes(),
        notification_settings::routes(),
        events::routes(),
        health::routes(),
        docs::routes(table),
        pages::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
