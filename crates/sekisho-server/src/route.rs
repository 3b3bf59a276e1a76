//! One route: its path, who may use it, what it takes and gives, and what handles it.

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::access::Access;
use crate::app::App;

/// Makes a schema.
pub(crate) type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// A row of the table of routes.
#[derive(Clone)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with `{name}` for what varies.
    pub path: &'static str,
    /// Who may.
    pub access: Access,
    /// What it is called in clients made from the OpenAPI document: `listApprovals`.
    pub operation: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What is good to know besides.
    pub notes: &'static str,
    pub(crate) query: Option<SchemaFn>,
    pub(crate) request_body: Option<SchemaFn>,
    pub(crate) responses: Vec<(u16, &'static str, Option<SchemaFn>)>,
    pub(crate) error_statuses: &'static [u16],
    pub(crate) handler: MethodRouter<App>,
}

impl Route {
    /// A route by its method and path, for those with access, under a name.
    pub(crate) fn new<H, T>(
        method: Method,
        path: &'static str,
        access: Access,
        operation: &'static str,
        handler: H,
    ) -> Route
    where
        H: Handler<T, App>,
        T: 'static,
    {
        // Every method used in the table has a filter; one that had none would never match.
        let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::TRACE);
        Route {
            method,
            path,
            access,
            operation,
            summary: "",
            notes: "",
            query: None,
            request_body: None,
            responses: Vec::new(),
            error_statuses: &[],
            handler: on(filter, handler),
        }
    }

    /// What it does.
    #[must_use]
    pub(crate) fn summary(mut self, summary: &'static str) -> Route {
        self.summary = summary;
        self
    }

    /// What is good to know besides.
    #[must_use]
    pub(crate) fn notes(mut self, notes: &'static str) -> Route {
        self.notes = notes;
        self
    }

    /// The query it takes.
    #[must_use]
    pub(crate) fn query<T: JsonSchema>(mut self) -> Route {
        self.query = Some(SchemaGenerator::subschema_for::<T>);
        self
    }

    /// The body it takes.
    #[must_use]
    pub(crate) fn request_body<T: JsonSchema>(mut self) -> Route {
        self.request_body = Some(SchemaGenerator::subschema_for::<T>);
        self
    }

    /// The JSON it gives.
    #[must_use]
    pub(crate) fn response<T: JsonSchema>(mut self, status: u16) -> Route {
        self.responses.push((status, "application/json", Some(SchemaGenerator::subschema_for::<T>)));
        self
    }

    /// Something it gives that is not JSON, by its media type; empty: no body.
    #[must_use]
    pub(crate) fn media_response(mut self, status: u16, media: &'static str) -> Route {
        self.responses.push((status, media, None));
        self
    }

    /// The statuses of its own errors, besides those every route has.
    #[must_use]
    pub(crate) fn error_statuses(mut self, faults: &'static [u16]) -> Route {
        self.error_statuses = faults;
        self
    }
}
