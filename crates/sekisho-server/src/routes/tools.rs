//! The built-in tools.

use axum::extract::State;
use axum::http::Method;

use crate::access::Access;
use crate::app::App;
use crate::json_body::JsonResponse;
use crate::route::Route;
use crate::wire::tool::BuiltInTool;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/tools", Access::READ, "listTools", list)
            .summary("Lists the built-in tools, by name")
            .response::<Vec<BuiltInTool>>(200),
    ]
}

async fn list(State(app): State<App>) -> JsonResponse<Vec<BuiltInTool>> {
    JsonResponse(app.inner.parts.tools.clone())
}
