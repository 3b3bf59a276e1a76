//! One route: its path, who may use it, its request and response types, and its handler.

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::access::Access;
use crate::app::App;

/// Produces a JSON schema.
pub(crate) type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// A row of the route table.
#[derive(Clone)]
pub struct Route {
    /// The HTTP method.
    pub method: Method,
    /// The path, with `{name}` for variable segments.
    pub path: &'static str,
    /// Which roles may use it.
    pub access: Access,
    /// The operation name in clients generated from the OpenAPI document: `listApprovals`.
    pub operation: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Further notes for the OpenAPI document.
    pub notes: &'static str,
    pub(crate) query: Option<SchemaFn>,
    pub(crate) request_body: Option<SchemaFn>,
    pub(crate) responses: Vec<(u16, &'static str, Option<SchemaFn>)>,
    pub(crate) error_statuses: &'static [u16],
    pub(crate) handler: MethodRouter<App>,
}

impl Route {
    /// A route with its method, path, access and operation name.
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
        // Every method in the table has a filter. A method without a filter would never match.
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

    /// Sets the summary.
    #[must_use]
    pub(crate) fn summary(mut self, summary: &'static str) -> Route {
        self.summary = summary;
        self
    }

    /// Sets the notes.
    #[must_use]
    pub(crate) fn notes(mut self, notes: &'static str) -> Route {
        self.notes = notes;
        self
    }

    /// Sets the query parameters.
    #[must_use]
    pub(crate) fn query<T: JsonSchema>(mut self) -> Route {
        self.query = Some(SchemaGenerator::subschema_for::<T>);
        self
    }

    /// Sets the request body.
    #[must_use]
    pub(crate) fn request_body<T: JsonSchema>(mut self) -> Route {
        self.request_body = Some(SchemaGenerator::subschema_for::<T>);
        self
    }

    /// Adds a JSON response.
    #[must_use]
    pub(crate) fn response<T: JsonSchema>(mut self, status: u16) -> Route {
        self.responses.push((status, "application/json", Some(SchemaGenerator::subschema_for::<T>)));
        self
    }

    /// Adds a response that is not JSON, by its media type; an empty type means no body.
    #[must_use]
    pub(crate) fn media_response(mut self, status: u16, media: &'static str) -> Route {
        self.responses.push((status, media, None));
        self
    }

    /// Sets the statuses of its own errors, besides those every route has.
    #[must_use]
    pub(crate) fn error_statuses(mut self, statuses: &'static [u16]) -> Route {
        self.error_statuses = statuses;
        self
    }
}
