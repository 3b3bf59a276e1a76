use crate::route::Route;

pub(super) fn routes() -> Vec<Route> {
    Vec::new()
}
