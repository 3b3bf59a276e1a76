//! The router, built from the route table.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;

use crate::access::Access;
use crate::app::App;
use crate::middleware;
use crate::routes;

impl App {
    /// All routes. Each checks the caller's access; the middleware stack wraps all of them.
    pub fn router(&self) -> Router {
        let mut router = Router::new();
        for route in routes::table() {
            // The guard covers the handlers only: everyone may learn that a path does not have a method.
            let guard = from_fn_with_state((self.clone(), route.access), middleware::authorize);
            let handler = match route.access {
                Access::Open => route.handler.layer(DefaultBodyLimit::max(middleware::OPEN_BODY)),
                Access::Roles(_) => route.handler,
            };
            router = router.route(route.path, handler.route_layer(guard));
        }
        middleware::wrap(self, router.fallback(routes::not_found_page)).with_state(self.clone())
    }
}
