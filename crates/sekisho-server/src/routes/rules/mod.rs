//! Rules: all layers to read, those of the database to write, and what they do or would do.

mod change;
mod items;
mod list;
mod rule_test;
mod suggestions;

use axum::http::Method;

use crate::access::Access;
use crate::route::Route;
use crate::wire::rule::{RuleBody, RuleItem, RuleList, RuleTestRequest, RuleTestResponse, Suggestions};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/rules", Access::READ, "listRules", list::list)
            .summary("Every rule of every layer, where it stands, and how often it decided")
            .notes("Each rule is told in our own names, in `rule`, and in the flat form `serverId`, `toolName`, `toolPattern`, `autoApprove`, `priority`.")
            .query::<list::RulesQuery>()
            .response::<RuleList>(200),
        Route::new(Method::POST, "/api/rules", Access::ADMIN, "addRule", change::add)
            .summary("Adds a rule to the database")
            .notes("Fields may stand beside `effect` or in `rule`. `serverId` and `toolName` are other names for `server` and `tool`, `autoApprove` for `effect`; two spellings have to agree. A rule that names nothing matches every call.")
            .request_body::<RuleBody>()
            .response::<RuleItem>(201),
        Route::new(Method::POST, "/api/rules/test", Access::READ, "testRule", rule_test::test)
            .summary("What a rule, or several together, would have done to the last calls")
            .notes("Judged by the rules in force, with and without them, by what was known of files then. Nothing is kept.")
            .request_body::<RuleTestRequest>()
            .response::<RuleTestResponse>(200)
            .error_statuses(&[404]),
        Route::new(Method::GET, "/api/rules/suggestions", Access::READ, "suggestRules", suggestions::suggest)
            .summary("Rules that the answers of the last thirty days speak for")
            .notes("Five equal answers by people at least, none to the contrary, and still a question today.")
            .response::<Suggestions>(200),
        Route::new(Method::GET, "/api/rules/{id}", Access::READ, "getRule", list::show)
            .summary("One rule")
            .response::<RuleItem>(200)
            .error_statuses(&[404]),
        Route::new(Method::PUT, "/api/rules/{id}", Access::ADMIN, "replaceRule", change::replace)
            .summary("Puts another rule in the place of a kept one")
            .notes("The whole rule: what is left out is gone. A rule of a file is changed in its file: 409.")
            .request_body::<RuleBody>()
            .response::<RuleItem>(200)
            .error_statuses(&[404, 409]),
        Route::new(Method::DELETE, "/api/rules/{id}", Access::ADMIN, "removeRule", change::remove)
            .summary("Removes a kept rule")
            .media_response(204, "")
            .error_statuses(&[404, 409]),
    ]
}
